import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, everything, segment } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

t.test('the list of flags', async (t) => {
  const site = await startSite(t)
  const isOn = async (namespaceKey: string, key: string) => {
    const { body } = await site.api('POST', '/evaluate/v1/boolean', {
      namespaceKey,
      flagKey: key,
      entityId: 'ada',
      context: {},
    })
    return (body as { readonly enabled?: boolean }).enabled
  }

  await site.visit(t, 'makes the first flag, and turns it on', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await page.goto(visit.own('flags'))
    await page.getByRole('heading', { name: `No flags in ${namespaceKey} yet` }).waitFor()
    await page.getByRole('button', { name: 'Create the first flag' }).click()
    const dialog = page.getByRole('dialog', { name: /^New flag in/ })
    await dialog.getByLabel('Name', { exact: true }).fill('New checkout')
    t.equal(await dialog.getByLabel('Key', { exact: true }).inputValue(), 'new-checkout')
    await dialog.getByText('Free.').waitFor()
    await expectNoViolations(t, page, 'the dialog')
    await dialog.getByRole('button', { name: 'Create flag' }).click()
    await page.waitForURL(`**${visit.own('flags/new-checkout')}`)
    await page.getByText(`New checkout is created in ${namespaceKey}`).waitFor()

    await page.goto(visit.own('flags'))
    const row = page.getByRole('row', { name: /New checkout/ })
    await row.getByText('Off for everyone').waitFor()
    await row.getByRole('switch', { name: 'New checkout: everyone else gets Off' }).click()
    await row.getByText('On for everyone').waitFor()
    await page.getByText('Live on 1/1 gateways').waitFor()
    t.equal(await isOn(namespaceKey, 'new-checkout'), true)

    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Off for everyone').waitFor()
    await page.getByText('Taken back').waitFor()
    t.equal(await isOn(namespaceKey, 'new-checkout'), false)
  })

  await site.visit(t, 'takes it back before it is live', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/propagation?*', async (route) => {
      await released
      await route.continue()
    })
    await page.goto(visit.own('flags'))
    const row = page.getByRole('row', { name: /Checkout/ })
    await row.getByRole('switch').click()
    await row.getByText('On for everyone').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    const answered = page.waitForResponse(/\/propagation\?/)
    release()
    await (await answered).finished()
    await page.waitForTimeout(500)
    t.equal(await page.getByText('Live on 1/1 gateways').count(), 0)
    t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, 'there is nothing to undo')
  })

  await site.visit(t, 'does the same by keyboard alone', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    await page.goto(visit.own('flags'))
    await page.getByRole('button', { name: 'Create the first flag' }).waitFor()
    await keys.press('c')
    const dialog = page.getByRole('dialog', { name: /^New flag in/ })
    await dialog.waitFor()
    await keys.to(dialog.getByLabel('Name', { exact: true }))
    await keys.type('Express delivery')
    await keys.press('Control+Enter')
    await page.waitForURL(`**${visit.own('flags/express-delivery')}`)
    await page.getByText(`Express delivery is created in ${namespaceKey}`).waitFor()
    const heading = page.getByRole('heading', { level: 1 })
    await waitFor(() => hasFocus(heading))

    await keys.press('g', 'f')
    await page.waitForURL(`**${visit.own('flags')}`)
    const row = page.getByRole('row', { name: /Express delivery/ })
    await row.waitFor()
    await waitFor(() => hasFocus(heading))
    await keys.press('j')
    t.ok(await hasFocus(row.getByRole('link')), 'the row has the focus')
    await keys.press('e')
    await row.getByText('On for everyone').waitFor()
    t.equal(await isOn(namespaceKey, 'express-delivery'), true)
    await keys.press('F6')
    await keys.to(page.getByRole('button', { name: 'Undo' }).first())
    await keys.press('Enter')
    await row.getByText('Off for everyone').waitFor()
    t.equal(await isOn(namespaceKey, 'express-delivery'), false)
  })

  await site.visit(
    t,
    'says what a flag that is off still serves, and stops it',
    {},
    async (t, visit) => {
      const { page, namespaceKey } = visit
      const rollouts = [{ threshold: { percentage: 31, value: true } }]
      await apply(site.api, namespaceKey, booleanFlag('payments', { enabled: true, rollouts }))
      await page.goto(visit.own('flags'))
      const row = page.getByRole('row', { name: /Payments/ })
      await row.getByRole('switch').click()
      await page.getByText('Everyone else gets Off. Still On for 31%.').waitFor()
      await row.getByText('On for 31%').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText(`Payments is stopped in ${namespaceKey}: everyone gets Off`).waitFor()
      await row.getByText('Off for everyone').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await row.getByText('On for 31%').waitFor()
      t.equal(await row.getByRole('switch').getAttribute('aria-checked'), 'false')
    },
  )

  const asking = { namespace: { confirm: true } }
  await site.visit(t, 'asks first where the namespace wants it', asking, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'))
    await page.goto(visit.own('flags'))
    const toggle = page.getByRole('row', { name: /Payments/ }).getByRole('switch')
    await toggle.click()
    const question = page.getByRole('alertdialog', { name: /^Turn on Payments in/ })
    await question.getByText('everyone else gets On').waitFor()
    await expectNoViolations(t, page, 'the question')
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    t.ok(await hasFocus(toggle), 'the focus is back')
    t.equal(await isOn(namespaceKey, 'payments'), false)
    await toggle.click()
    await question.getByLabel('Why').fill('for everyone from today')
    await question.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText(`Payments is on in ${namespaceKey}`).waitFor()
    const { body } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}/changes?limit=1`)
    t.match(body, { changes: [{ comment: 'for everyone from today' }] })
  })

  await site.visit(t, 'has its filters in the address', {}, async (t, visit) => {
    const { page } = visit
    await apply(site.api, visit.namespaceKey, ...everything())
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Theme' }).waitFor()
    await page.getByRole('searchbox').or(page.getByLabel('Search flags')).first().fill('checkout')
    await page.getByRole('link', { name: 'Theme' }).waitFor({ state: 'detached' })
    await page.waitForURL(/q=checkout/)
    await page.reload()
    await page.getByRole('link', { name: 'New checkout' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Theme' }).count(), 0)
    await page.goto(visit.own('flags?q=nothing-like-it'))
    await page.getByRole('heading', { name: 'No flag matches “nothing-like-it”' }).waitFor()
    await expectNoViolations(t, page, 'nothing found')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Theme' }).waitFor()
  })

  await site.visit(
    t,
    'offers changes of others, and moves nothing by itself',
    {},
    async (t, visit) => {
      const { page, namespaceKey } = visit
      await apply(site.api, namespaceKey, booleanFlag('first'))
      await apply(site.api, namespaceKey, booleanFlag('second'))
      await page.goto(visit.own('flags'))
      await page.getByText('Live', { exact: true }).waitFor()
      const names = () => page.locator('[data-row-link] > :first-child').allTextContents()
      t.strictSame(await names(), ['Second', 'First'])
      await apply(site.api, namespaceKey, {
        kind: 'FLAG_KIND',
        key: 'first',
        patch: { name: 'First of all' },
      })
      await page.getByText('1 flag was changed by others').waitFor()
      t.strictSame(await names(), ['Second', 'First'])
      await expectNoViolations(t, page, 'with news')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('link', { name: 'First of all' }).waitFor()
      t.strictSame(await names(), ['First of all', 'Second'])
      t.equal(await page.getByText('changed by others').count(), 0)
    },
  )

  await site.visit(t, 'changes several at once, and takes it back', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('one'), booleanFlag('two'), segment('all'))
    await page.goto(visit.own('flags'))
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByText('2 selected').waitFor()
    await expectNoViolations(t, page, 'with a selection')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: /^No flags in/ }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Two' }).waitFor()
    t.equal(await isOn(namespaceKey, 'two'), false)
  })

  await site.visit(t, 'stays where it is when an answer is late', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/apply', async (route) => {
      await released
      await route.continue()
    })
    await page.goto(visit.own('flags?new'))
    const dialog = page.getByRole('dialog', { name: /^New flag in/ })
    await dialog.getByLabel('Name', { exact: true }).fill('Checkout')
    await dialog.getByText('Free.').waitFor()
    await dialog.getByRole('button', { name: 'Create flag' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    release()
    await page.getByText(`Checkout is created in ${namespaceKey}`).waitFor()
    t.equal(new URL(page.url()).pathname, visit.own('flags'))
    await page.getByRole('row', { name: /Checkout/ }).waitFor()
  })

  await site.visit(t, 'takes nothing along to another namespace', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const other = `${namespaceKey}-other`
    await site.api('POST', '/api/v1/namespaces', { key: other, name: other })
    await apply(site.api, namespaceKey, booleanFlag('one'), booleanFlag('two'))
    await apply(site.api, other, booleanFlag('one'))
    await page.goto(visit.own('flags'))
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await page.getByText('2 selected').waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(`**/namespaces/${other}/flags?*`, async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('combobox', { name: `Namespaces: ${namespaceKey}` }).click()
    await page.getByRole('option', { name: other }).click()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText(other).waitFor()
    t.equal(await page.getByRole('row', { name: /One/ }).count(), 0, 'its list is not there yet')
    release()
    await page.getByRole('row', { name: /One/ }).waitFor()
    t.equal(await page.getByText(/\d selected/).count(), 0)
  })

  await site.visit(t, 'copies by plain http, too', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    // Browsers have no such member then, save for pages of this machine.
    await page.addInitScript('delete Navigator.prototype.clipboard')
    await page.goto(visit.own('flags'))
    const copyKey = async () => {
      await page.getByRole('button', { name: 'More for Checkout' }).click()
      await page.getByRole('menuitem', { name: 'Copy the key' }).click()
    }
    await copyKey()
    await page.getByText('Copied checkout', { exact: true }).waitFor()
    await page.evaluate('document.execCommand = () => false')
    await copyKey()
    await page.getByRole('alert').getByText('Not copied').waitFor()
    const search = page.getByLabel('Search flags')
    await search.focus()
    await page.keyboard.press('Control+v')
    t.equal(await search.inputValue(), 'checkout')
  })

  await site.visit(t, 'keeps the focus when a row is deleted', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'), booleanFlag('express'))
    await page.goto(visit.own('flags'))
    await page.getByRole('button', { name: 'More for Checkout' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    const rest = page.getByRole('row', { name: /Express/ }).getByRole('link')
    await waitFor(() => hasFocus(rest))
    t.pass('the next row has the focus')
  })

  await site.visit(t, 'ends at its last page, and stays where it is', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = Array.from({ length: 26 }, (_, place) => `flag-${String(place).padStart(2, '0')}`)
    await apply(site.api, namespaceKey, ...keys.map((key) => booleanFlag(key)))
    await page.goto(visit.own('flags?sort=key&page=99'))
    const last = page.getByRole('row', { name: /Flag 25/ })
    await last.waitFor()
    await page.waitForURL(/page=2$/)

    await page.getByRole('button', { name: 'New flag' }).click()
    const dialog = page.getByRole('dialog', { name: /^New flag in/ })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.match(page.url(), /page=2$/)

    await last.getByRole('button', { name: 'More for Flag 25' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Flag 24/ }).waitFor()
    t.notMatch(page.url(), /page=/)
  })
})
