import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

t.test('settings', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'are kept in the browser', {}, async (t, { page }) => {
    await page.goto('/settings')
    const of = (name: string) => page.getByRole('group', { name, exact: true })
    await of('Theme').getByRole('button', { name: 'Dark' }).click()
    await of('Rows').getByRole('button', { name: 'Compact' }).click()
    await of('Times').getByRole('button', { name: 'UTC' }).click()
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).click()
    await page.getByRole('combobox', { name: 'Language' }).click()
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    await expectNoViolations(t, page, 'dark and German')
    await page.goto('/tokens')
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
    t.strictSame(
      await page.evaluate(
        '[document.documentElement.lang, ...Object.values(document.documentElement.dataset)].sort()',
      ),
      ['compact', 'dark', 'de'],
    )
    const made = page.locator('time').last()
    await made.hover()
    await page.getByText(/ UTC · /).waitFor()
    await page.keyboard.press('c')
    t.equal(new URL(page.url()).search, '', 'single letters are off')
  })

  await site.visit(t, 'lead to their parts by the address', {}, async (t, { page }) => {
    await page.goto('/settings?tab=methods')
    const heading = page.getByRole('heading', { name: 'Ways in' })
    await heading.waitFor()
    t.ok(await hasFocus(heading))
    await page.getByRole('link', { name: 'About' }).click()
    await page.waitForURL(/tab=about/)
    t.ok(await hasFocus(page.getByRole('heading', { name: 'About' })))
    await page.getByText('Version', { exact: true }).waitFor()
  })

  // One that is given no colour has one by its key, which could be the one that is chosen here.
  const green = { namespace: { color: 'green' } }
  await site.visit(t, 'change a namespace, and delete it', green, async (t, visit) => {
    const { page, namespaceKey } = visit
    const hostile = `<img src=x onerror=alert(1)> ${namespaceKey}`
    await apply(site.api, namespaceKey, booleanFlag('one'), booleanFlag('two'))
    await page.goto('/settings?tab=namespaces')
    await page.getByRole('button', { name: `More for ${namespaceKey}` }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Edit/ })
    await dialog.getByLabel('Name', { exact: true }).fill(hostile)
    await dialog.getByLabel('Description').fill('All of it')
    await dialog.getByRole('radio', { name: 'Violet' }).click()
    await dialog.getByRole('checkbox', { name: /^Ask before/ }).click()
    await expectNoViolations(t, page, 'the dialog')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}`)
    t.match(body, { name: hostile, description: 'All of it', color: 'violet', confirm: true })

    const keys = keyboardOf(page)
    await keys.to(page.getByRole('button', { name: `More for ${hostile}` }), 'Shift+Tab')
    await keys.press('Enter')
    await page.getByRole('menuitem', { name: 'Delete…' }).waitFor()
    await keys.press('End', 'Enter')
    const question = page.getByRole('alertdialog', { name: /^Delete/ })
    const confirm = question.getByRole('button', { name: /^Delete/ })
    await question.getByLabel(`Type ${namespaceKey} to delete it`).fill(namespaceKey)
    t.equal(await confirm.getAttribute('aria-disabled'), 'true', 'it holds something')
    await question.getByRole('checkbox', { name: 'Delete everything in it, too: 2 flags' }).click()
    await expectNoViolations(t, page, 'the question')
    await confirm.click()
    await page.getByText(`${hostile} is deleted`).waitFor()
    const { status } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}`)
    t.equal(status, 404)
  })

  await site.visit(t, 'keep what others set of a namespace', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const path = `/api/v1/namespaces/${namespaceKey}`
    const set = (settings: object) => site.api('PUT', path, settings)
    const edit = async () => {
      const row = page.getByRole('listitem').filter({ hasText: namespaceKey })
      await row.getByRole('button', { name: /^More/ }).click()
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
    }
    const dialog = page.getByRole('dialog', { name: /^Edit/ })
    const save = () => dialog.getByRole('button', { name: 'Save' }).click()
    const isClosed = () => dialog.waitFor({ state: 'detached' })
    await page.goto('/settings?tab=namespaces')
    await page.getByText(namespaceKey, { exact: true }).first().waitFor()
    const byBob = { description: 'By Bob', color: 'violet', confirm: true }
    const { name } = (await site.api('GET', path)).body as { readonly name: string }
    await set({ name, ...byBob })
    await edit()
    await dialog.getByLabel('Name', { exact: true }).fill('By Alice')
    await save()
    await isClosed()
    t.match((await site.api('GET', path)).body, { name: 'By Alice', ...byBob })

    await edit()
    await dialog.getByLabel('Description').fill('By Alice')
    await dialog.getByRole('checkbox', { name: /^Ask before/ }).click()
    await set({ name: 'By Tom', description: 'By Tom', color: 'green' })
    await save()
    await dialog.getByRole('alert').getByText('Description: “By Tom”').waitFor()
    t.match((await site.api('GET', path)).body, { description: 'By Tom', confirm: true })
    await save()
    await isClosed()
    const after = { name: 'By Tom', description: 'By Alice', color: 'green' }
    const saved = (await site.api('GET', path)).body as { readonly confirm?: boolean }
    t.match(saved, after)
    t.notOk(saved.confirm)

    // Between the look at it and the save.
    await edit()
    await dialog.getByLabel('Name', { exact: true }).fill('Late')
    let puts = 0
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() === 'PUT' && ++puts === 1)
        await set({ name: 'By Tom', description: 'Later' })
      await route.continue()
    })
    await save()
    await isClosed()
    t.equal(puts, 2)
    t.match((await site.api('GET', path)).body, { ...after, name: 'Late', description: 'Later' })
  })

  await site.visit(t, 'keep the namespace that is always there', {}, async (t, { page }) => {
    await page.goto('/settings')
    await page.getByRole('button', { name: 'More for Default' }).click()
    const item = page.getByRole('menuitem', { name: 'Delete…' })
    await item.getByText('It is always there.').waitFor()
    t.equal(await item.getAttribute('aria-disabled'), 'true')
  })
})
