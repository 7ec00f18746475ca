import type { Page } from 'playwright-core'
import t from 'tap'
import { call } from '../support/http.ts'
import { expectNoViolations, untilTrue } from './support/axe.ts'
import { apply, booleanFlag } from './support/content.ts'
import { keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

/** What is asked of the first steps: no more than this from the token to the first answer. */
const maxInteractions = 8

t.test('the first steps', async (t) => {
  const site = await startSite(t)
  const nobody = { isSignedIn: false, hasNamespace: false }

  await site.visit(t, 'lead from a token to an answer', nobody, async (t, { page }) => {
    let interactions = 0
    const press = async (role: 'button' | 'link', name: string) => {
      interactions += 1
      await page.getByRole(role, { name, exact: true }).click()
    }
    await page.goto('/')
    interactions += 1
    await page.getByLabel('Token', { exact: true }).fill(site.token)
    await press('button', 'Sign in')
    await page.getByRole('heading', { name: 'No flags in Default yet' }).waitFor()
    await expectNoViolations(t, page, 'no flags')
    await press('link', 'First steps')
    await expectNoViolations(t, page, 'at the beginning')
    await press('button', 'Create flag')
    await press('button', 'Evaluate')
    await page.getByRole('heading', { name: 'You asked for it, and got Off' }).waitFor()
    await page.getByText('No rule is set, so everyone gets Off.').waitFor()
    t.ok(interactions <= maxInteractions, `${interactions} interactions`)
  })

  const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }
  await site.visit(t, 'lead on to code that asks', clipboard, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    await apply(site.api, namespaceKey, booleanFlag('hello-world', { enabled: true }))
    await openSteps(page, visit.namespaceKey)
    await page.getByRole('heading', { name: 'You made hello-world' }).waitFor()
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.getByRole('heading', { name: 'You asked for it, and got On' }).waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('heading', { name: 'You made a token my-app' }).waitFor()
    await page.getByRole('button', { name: 'Copy the token' }).click()
    const token = await page.evaluate<string>('navigator.clipboard.readText()')
    t.match(token, /^svc_/)
    secrets.add(token)
    const code = page.locator('figure pre')
    t.equal((await code.textContent())?.split(token).length, 2, 'it is in the code once')
    await expectNoViolations(t, page, 'with the code')
    await page.getByRole('button', { name: 'OpenFeature' }).click()
    t.match(await code.textContent(), /getBooleanValue\('hello-world', false/)
    t.equal((await code.textContent())?.split(token).length, 2, 'and once in the other')

    const body = { namespaceKey, flagKey: 'hello-world', entityId: 'user-42', context: {} }
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await call(site.url, 'POST', '/evaluate/v1/boolean', body, headers)
    t.equal(status, 200)

    await page.getByText('First make a token for yourself that works in all namespaces').waitFor()
    await page.reload()
    await page.getByText('It was shown once').waitFor()
    t.notOk((await page.content()).includes(token), 'after a reload it is gone')
  })

  await site.visit(t, 'are gone by keyboard alone', {}, async (t, visit) => {
    const { page, secrets } = visit
    await openSteps(page, visit.namespaceKey)
    const keys = keyboardOf(page)
    const hostile = '<img src=x onerror=alert(1)>'
    const name = page.getByLabel('Name', { exact: true })
    await keys.to(name)
    await keys.press('Control+a')
    await keys.type(hostile)
    await page.getByText('img-src-x-onerror-alert-1').waitFor()
    await keys.press('Enter')
    await page.getByRole('link', { name: hostile }).waitFor()
    const entity = page.getByLabel('User', { exact: true })
    await keys.to(entity)
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'You asked for it, and got Off' }).waitFor()
    await keys.to(name)
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'You made a token my-app' }).waitFor()
    const code = await page.locator('figure pre').textContent()
    secrets.add(/svc_[\w-]+/.exec(code ?? '')?.[0] ?? 'no token')
    t.match(code, /export SVC_TOKEN='svc_/)
  })

  await site.visit(t, 'tick themselves when it is done elsewhere', {}, async (_t, visit) => {
    const { page, namespaceKey } = visit
    await openSteps(page, visit.namespaceKey)
    await page.getByRole('heading', { name: 'Make a flag' }).waitFor()
    await apply(site.api, namespaceKey, booleanFlag('from-a-terminal'))
    await page.getByRole('heading', { name: 'You made from-a-terminal' }).waitFor()
  })
})

/** Of the namespace whose flags were looked at last. */
async function openSteps(page: Page, namespaceKey: string): Promise<void> {
  await page.goto(`/ns/${namespaceKey}/flags`)
  // The bar of narrow screens names it, too, and is hidden here.
  await page.getByText(namespaceKey).filter({ visible: true }).first().waitFor()
  await page.getByRole('link', { name: 'First steps' }).or(page.getByRole('row')).first().waitFor()
  // The page keeps it a moment after it is shown.
  await untilTrue(page, `JSON.stringify(localStorage).includes('${namespaceKey}')`)
  await page.goto('/welcome')
  await page.getByRole('list', { name: 'Steps' }).waitFor()
}
