import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { call } from '../support/http.ts'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { type Site, signIn, startSite } from './support/site.ts'

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

t.test('tokens', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'are made, copied, used and revoked', clipboard, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout', { enabled: true }))
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('checkout-service')
    await dialog.getByLabel('What it is for').fill('The checkout')
    await dialog.getByRole('combobox', { name: 'Namespace' }).getByText(namespaceKey).waitFor()
    await dialog.getByText(/^On \d/).waitFor()
    await expectNoViolations(t, page, 'the dialog')
    // The secret waits for no list.
    const lists = /\/tokens\?/
    await page.route(lists, () => {})
    await dialog.getByRole('button', { name: 'Create token' }).click()

    const panel = page.getByRole('dialog', { name: 'checkout-service is ready' })
    const token = await secretOf(panel)
    secrets.add(token)
    await panel.getByText(`export SVC_TOKEN='${token}'`).waitFor()
    await expectNoViolations(t, page, 'the panel')
    await page.unroute(lists)

    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    t.equal(await page.getByRole('dialog', { name: 'Search or go to' }).count(), 0)
    t.ok(await panel.isVisible(), 'it stays until the token is taken along')
    await panel.getByRole('button', { name: 'Done' }).click()
    await panel.getByText('It was not copied yet.').waitFor()
    await panel.getByRole('button', { name: 'Copy', exact: true }).first().click()
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    t.equal(await copied(page), token)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    t.notOk((await page.content()).includes(token), 'it is nowhere on the page any more')
    t.equal(new URL(page.url()).search, '')

    const row = page.getByRole('row', { name: /checkout-service/ })
    await row.getByText(namespaceKey).waitFor()
    await row.getByText('The checkout').waitFor()
    t.match(await ask(site, token, namespaceKey), { status: 200, body: { enabled: true } })

    await row.getByRole('button', { name: 'More for checkout-service' }).click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    const question = page.getByRole('alertdialog', { name: 'Revoke checkout-service?' })
    await question.getByText('stop working within 2 s').waitFor()
    await question.getByText('It was never used.').waitFor()
    await expectNoViolations(t, page, 'the question')
    await question.getByRole('button', { name: 'Revoke checkout-service' }).click()
    await page.getByText('checkout-service is revoked').waitFor()
    await row.waitFor({ state: 'detached' })
    t.match(await ask(site, token, namespaceKey), { status: 401 })
  })

  await site.visit(t, 'are made and revoked by keyboard alone', clipboard, async (t, visit) => {
    const { page, secrets } = visit
    await page.goto('/tokens')
    const keys = keyboardOf(page)
    await page.getByRole('row', { name: /initial_bootstrap_token/ }).waitFor()
    await keys.press('c')
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.waitFor()
    await keys.to(dialog.getByRole('textbox', { name: 'Name' }))
    await keys.type('by-keyboard')
    await keys.press('Enter')
    const panel = page.getByRole('dialog', { name: 'by-keyboard is ready' })
    secrets.add(await secretOf(panel))
    await keys.to(panel.getByRole('button', { name: 'Copy', exact: true }).first())
    await keys.press('Enter')
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    await keys.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await keys.to(page.getByRole('button', { name: 'More for by-keyboard' }))
    await keys.press('Enter')
    await page.getByRole('menuitem', { name: 'Revoke…' }).waitFor()
    await keys.press('End', 'Enter')
    const question = page.getByRole('alertdialog', { name: 'Revoke by-keyboard?' })
    await keys.to(question.getByRole('button', { name: 'Revoke by-keyboard' }))
    await keys.press('Enter')
    await page.getByText('by-keyboard is revoked').waitFor()
    await t.resolves(page.locator('[data-row-menu]:focus').waitFor(), 'the next row has the focus')
  })

  await site.visit(t, 'get a new secret, and the old one goes on', clipboard, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    const old = await site.stack.createNamespacedToken(namespaceKey)
    secrets.add(old)
    await page.goto(`/tokens?works=${namespaceKey}`)
    const rotate = async (overlap: string) => {
      await page.getByRole('button', { name: /^More for/ }).click()
      await page.getByRole('menuitem', { name: 'New secret…' }).click()
      const dialog = page.getByRole('dialog', { name: /^New secret for/ })
      await dialog.getByRole('button', { name: overlap }).click()
      await expectNoViolations(t, page, `with ${overlap}`)
      await dialog.getByRole('button', { name: 'Make new secret' }).click()
      const panel = page.getByRole('dialog', { name: /has a new secret$/ })
      const secret = await secretOf(panel)
      secrets.add(secret)
      const download = page.waitForEvent('download')
      await panel.getByRole('button', { name: 'Download .env' }).click()
      t.equal((await download).suggestedFilename(), `${namespaceKey}-token.env`)
      await panel.getByRole('button', { name: 'Done' }).click()
      await panel.waitFor({ state: 'detached' })
      return secret
    }
    const second = await rotate('24 h')
    await page.getByText(/^old secret until/).waitFor()
    for (const secret of [old, second])
      t.match(await ask(site, secret, namespaceKey), { status: 200 })
    const third = await rotate('not at all')
    await page.getByText(/^old secret until/).waitFor({ state: 'detached' })
    t.match(await ask(site, third, namespaceKey), { status: 200 })
    for (const secret of [old, second])
      t.match(await ask(site, secret, namespaceKey), { status: 401 })
  })

  await site.visit(t, 'say what is wrong at its field', {}, async (t, visit) => {
    const { page } = visit
    await page.goto('/tokens?new')
    const dialog = page.getByRole('dialog', { name: 'New token' })
    const create = dialog.getByRole('button', { name: 'Create token' })
    await create.click()
    await dialog.getByText('It needs a name.').waitFor()
    t.ok(await hasFocus(dialog.getByRole('textbox', { name: 'Name' })))
    await dialog.getByRole('textbox', { name: 'Name' }).fill('anywhere')
    await dialog.getByRole('button', { name: 'Never' }).click()
    await create.click()
    await dialog.getByText('Tick this, or choose when it expires.').waitFor()
    await dialog.getByRole('checkbox', { name: /never expires/ }).click()
    await dialog.getByText('Only from certain addresses').click()
    await dialog.getByLabel('Addresses and ranges').fill('10.0.0.0/99')
    await dialog.getByLabel('Addresses and ranges').press('Enter')
    await create.click()
    await dialog.getByText(/invalid field allowedAddresses/).waitFor()
    await expectNoViolations(t, page, 'with errors')
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog', { name: 'Throw away what you typed?' })
    await question.getByRole('button', { name: 'Throw away' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  await site.visit(t, 'are found, and named as they are', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const hostile = `<img src=x onerror=alert(1)> ${namespaceKey}`
    const soon = new Date(Date.now() + 3 * 24 * 3600_000).toISOString()
    const more = { namespaceKey, expiresAt: soon, allowedAddresses: ['10.0.0.0/8'] }
    await site.api('POST', '/auth/v1/method/token', {
      name: hostile,
      description: hostile,
      ...more,
    })
    await page.goto('/tokens')
    await page.getByText('first token', { exact: true }).waitFor()
    await page.getByLabel('Search tokens').fill(namespaceKey)
    await page.getByText('first token', { exact: true }).waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: hostile })
    await row.getByText('1 address').waitFor()
    await expectNoViolations(t, page, 'a search')
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('menuitemradio', { name: 'Expires soon' }).click()
    await page.waitForURL(/state=expiring/)
    await row.waitFor()
    await page.goto('/tokens?q=nothing-like-it')
    await page.getByRole('heading', { name: 'No token matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await row.waitFor()
  })

  await site.visit(t, 'that one is signed in with say so', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await site.stack.createNamespacedToken(namespaceKey)
    await page.goto('/tokens')
    await page.getByRole('button', { name: 'Revoke it…' }).click()
    const question = page.getByRole('alertdialog', { name: 'Revoke initial_bootstrap_token?' })
    await question.getByText('Your session ends, too.').waitFor()
    await question.getByText('It is the only token that works everywhere.').waitFor()
    await expectNoViolations(t, page, 'the question')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
  })

  const nobody = { isSignedIn: false }
  await site.visit(t, 'are not for who is bound to a namespace', nobody, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    const token = await site.stack.createNamespacedToken(namespaceKey)
    secrets.add(token)
    await page.goto('/tokens')
    await signIn(page, token)
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    await page.getByText(`is restricted to namespace "${namespaceKey}"`).waitFor()
    await expectNoViolations(t, page, 'refused')
  })
})

/** The secret that a panel shows. */
async function secretOf(panel: Locator): Promise<string> {
  const text = await panel.locator('code').first().textContent()
  if (text?.startsWith('svc_') !== true) throw new Error(`it shows no token: ${text}`)
  return text
}

function ask(site: Site, token: string, namespaceKey: string) {
  const body = { namespaceKey, flagKey: 'checkout', entityId: 'user-42', context: {} }
  const headers = { authorization: `Bearer ${token}` }
  return call(site.url, 'POST', '/evaluate/v1/boolean', body, headers)
}
