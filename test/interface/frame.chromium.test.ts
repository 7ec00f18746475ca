import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { expectNoViolations, settled, untilTrue } from './support/axe.ts'
import { apply, everything } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { routesOf } from './support/routes.ts'
import { startSite } from './support/site.ts'

t.test('the frame of pages', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'has a palette that leads to what is typed', {}, async (t, visit) => {
    const { page } = visit
    const keys = keyboardOf(page)
    await apply(site.api, visit.namespaceKey, ...everything())
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Theme' }).waitFor()
    await keys.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or go to' })
    await palette.waitFor()
    await keys.type('new-ch')
    await palette
      .getByRole('option', { name: /New checkout/ })
      .first()
      .waitFor()
    await expectNoViolations(t, page, 'the palette')
    await keys.press('Enter')
    await page.waitForURL(`**${visit.own('flags/new-checkout')}`)
    await keys.press('Control+k')
    await palette.waitFor()
    await keys.type('>dark')
    await palette.getByRole('option', { name: 'Theme: Dark' }).waitFor()
    await keys.press('Enter')
    await untilTrue(page, 'document.documentElement.dataset.theme === "dark"')
  })

  await site.visit(t, 'has a palette that makes what is typed', {}, async (t, visit) => {
    const { page } = visit
    await apply(site.api, visit.namespaceKey, ...everything())
    await page.goto(visit.own('segments'))
    await page.getByRole('link', { name: 'Germany' }).waitFor()
    // There is another flag of that name, too.
    for (const name of ['Express', 'Theme']) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or go to' }).fill(name)
      await page.getByRole('option', { name: `Create flag “${name}”` }).click()
      const dialog = page.getByRole('dialog', { name: /^New flag in/ })
      await dialog.waitFor()
      t.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), name)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      t.equal(new URL(page.url()).search, '')
    }
  })

  await site.visit(t, 'is folded by [, also where that takes AltGr', {}, async (t, visit) => {
    const { page } = visit
    await page.goto(visit.own('flags'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    // As on a German keyboard.
    await page.evaluate(`dispatchEvent(new KeyboardEvent('keydown', {
      key: '[', ctrlKey: true, altKey: true, modifierAltGraph: true,
    }))`)
    await page.locator('[data-folded]').waitFor()
    t.pass('it is folded')
  })

  await site.visit(
    t,
    'says its shortcuts, and lets letters be turned off',
    {},
    async (t, visit) => {
      const { page } = visit
      const keys = keyboardOf(page)
      await page.goto(visit.own('flags'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await keys.press('?')
      const dialog = page.getByRole('dialog', { name: 'Help and shortcuts' })
      await dialog.waitFor()
      await expectNoViolations(t, page, 'the shortcuts')
      await keys.to(
        dialog
          .getByRole('checkbox', { name: 'Single letters are shortcuts' })
          .or(dialog.getByRole('switch', { name: 'Single letters are shortcuts' })),
      )
      await keys.press('Space', 'Escape')
      await dialog.waitFor({ state: 'detached' })
      await keys.press('?')
      await keys.press('Control+k')
      await page.getByRole('dialog', { name: 'Search or go to' }).waitFor()
      t.equal(await page.getByRole('dialog').count(), 1, 'the letter did nothing')
    },
  )

  await site.visit(t, 'opens no hit of a text that was typed before', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    await apply(site.api, namespaceKey, ...everything())
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Theme' }).waitFor()
    await page.route('**/flags?*q=new-ch*', () => {})
    // What another namespace answers is not waited for in vain.
    await page.route('**/namespaces/default/flags?*q=theme*', (route) =>
      route.fulfill({ status: 403, json: { code: 7, message: 'no' } }),
    )
    await keys.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or go to' })
    await palette.waitFor()
    await keys.type('theme')
    await palette.getByRole('option', { name: /^Theme theme/ }).waitFor()
    await palette.getByRole('combobox').fill('new-ch')
    await keys.press('Enter')
    await page.waitForURL(/q=new-ch/)
    t.equal(new URL(page.url()).pathname, visit.own('flags'))
  })

  await site.visit(t, 'keeps what another tab has chosen', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    const stored = () => page.evaluate(`JSON.parse(localStorage.getItem('svc.preferences'))`)
    await page.goto(visit.own('flags'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.match(await stored(), { namespaceKey })
    await page.evaluate(`{
      const { setItem } = Storage.prototype
      Storage.prototype.setItem = function (name, value) {
        if (name === 'svc.preferences') globalThis.writes++
        setItem.call(this, name, value)
      }
      globalThis.seen = new Promise((resolve) => {
        addEventListener('storage', ({ key }) => key === 'svc.preferences' && setTimeout(resolve))
      })
      globalThis.writes = 0
    }`)
    const tab = await visit.newPage()
    await tab.goto('/ns/default/flags')
    await page.evaluate('globalThis.seen')
    t.equal(await page.evaluate('globalThis.writes'), 0, 'that of another tab is left alone')
    // The tab that writes is not told.
    await page.evaluate(`{
      const stored = JSON.parse(localStorage.getItem('svc.preferences'))
      localStorage.setItem('svc.preferences', JSON.stringify({ ...stored, theme: 'dark' }))
    }`)
    await keys.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or go to' }).waitFor()
    await keys.type('>compact')
    await page.getByRole('option', { name: 'Rows: Compact' }).waitFor()
    await keys.press('Enter')
    await untilTrue(page, 'document.documentElement.dataset.density === "compact"')
    t.match(await stored(), { theme: 'dark', density: 'compact' })
  })

  await site.visit(t, 'makes a namespace, and goes to it', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await page.goto(visit.own('flags'))
    const switcher = page.getByRole('combobox', { name: `Namespaces: ${namespaceKey}` })
    const keys = keyboardOf(page)
    await keys.to(switcher, 'Shift+Tab')
    await keys.press('Enter')
    await waitFor(() => hasFocus(page.getByRole('combobox', { name: 'Find a namespace' })))
    await keys.press('Escape')
    await waitFor(() => hasFocus(switcher))
    await keys.press('d', 'e')
    t.equal(new URL(page.url()).pathname, visit.own('flags'), 'a letter chooses nothing')
    await switcher.click()
    await page.getByRole('button', { name: 'New namespace' }).click()
    const dialog = page.getByRole('dialog', { name: 'New namespace' })
    const name = `${namespaceKey} two`
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await expectNoViolations(t, page, 'the dialog')
    await dialog.getByRole('button', { name: 'Create namespace' }).click()
    await page.waitForURL(`**/ns/${namespaceKey}-two/flags`)
    await page.getByRole('heading', { name: `No flags in ${name} yet` }).waitFor()
  })

  await site.visit(
    t,
    'leads the focus to the heading of a page, and past the side bar',
    {},
    async (t, visit) => {
      const { page } = visit
      const keys = keyboardOf(page)
      await page.goto(visit.own('flags'))
      const heading = page.getByRole('heading', { level: 1 })
      await heading.waitFor()
      await keys.press('Tab')
      t.ok(await hasFocus(page.getByRole('link', { name: 'Skip to content' })))
      await keys.press('Enter')
      t.ok(await hasFocus(page.getByRole('main')))
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: 'Status' })
        .click()
      await page.waitForURL('**/status')
      await page.getByRole('heading', { level: 1, name: 'Everything works' }).waitFor()
      await untilTrue(page, 'document.activeElement.matches("h1")')
    },
  )

  await site.visit(t, 'says what is not there', {}, async (t, visit) => {
    const { page } = visit
    await page.goto('/ns/no-such-namespace/flags')
    await page.getByRole('heading', { name: 'There is no namespace no-such-namespace' }).waitFor()
    await expectNoViolations(t, page)
  })

  const narrow = { viewport: { width: 320, height: 640 } }
  await site.visit(t, 'fits on 320 pixels without scrolling sideways', narrow, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...everything())
    for (const route of routesOf(namespaceKey)) {
      await page.goto(route)
      await settled(page)
      // What is shown as code scrolls by itself.
      const width = await page.evaluate<number>(
        'Math.max(...[...document.querySelectorAll("html, #main, [role=dialog] div")].map((one) => one.scrollWidth))',
      )
      t.ok(width <= 320, `${route}: ${width}`)
    }
  })
})
