import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { call } from '../support/http.ts'
import { expectNoViolations } from './support/axe.ts'
import { keyboardOf } from './support/keyboard.ts'
import { type Site, signIn, startSite } from './support/site.ts'

t.test('sessions', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'end everywhere but here', {}, async (t, { page, secrets }) => {
    const elsewhere = await beginSession(site, site.token)
    secrets.add(elsewhere)
    await page.goto('/sessions')
    const own = page.getByRole('region', { name: 'Yours' })
    await own.getByRole('row').nth(1).getByText('This browser').waitFor()
    await expectNoViolations(t, page)
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    const question = page.getByRole('alertdialog', { name: /^End your/ })
    await expectNoViolations(t, page, 'the question')
    await question.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByText(/have ended|has ended/).waitFor()
    await own.getByRole('button', { name: /^End the session/ }).waitFor({ state: 'detached' })
    await t.resolves(untilRefused(site, elsewhere))
    await page.reload()
    await own.getByText('This browser').waitFor()
  })

  await site.visit(t, 'of others are found and ended', {}, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    const hostile = `<img src=x onerror=alert(1)> ${namespaceKey}`
    const { body } = await site.api('POST', '/auth/v1/method/token', { name: hostile })
    const token = String((body as { readonly clientToken: unknown }).clientToken)
    const theirs = await beginSession(site, token)
    secrets.add(token).add(theirs)
    await page.goto('/sessions')
    const everyones = page.getByRole('region', { name: 'Everyone’s' })
    const row = everyones.getByRole('row', { name: hostile })
    await row.waitFor()
    await page.getByLabel('Search sessions').fill('nothing-like-it')
    await page.getByText('No session matches.').waitFor()
    await page.getByLabel('Search sessions').fill(namespaceKey)
    await row.getByRole('button', { name: `End the session of ${hostile}` }).click()
    const question = page.getByRole('alertdialog', { name: `End the session of ${hostile}?` })
    await question.getByRole('button', { name: 'End' }).click()
    await page.getByText(`The session of ${hostile} has ended`).waitFor()
    t.equal(await row.count(), 0)
    await t.resolves(untilRefused(site, theirs))
  })

  await site.visit(t, 'end by keyboard alone', {}, async (t, { page, secrets }) => {
    const elsewhere = await beginSession(site, site.token)
    secrets.add(elsewhere)
    await page.goto('/sessions')
    const keys = keyboardOf(page)
    const end = page.getByRole('button', { name: /^End the session of initial/ }).first()
    await keys.to(end)
    await keys.press('Enter')
    const question = page.getByRole('alertdialog', { name: /^End the session/ })
    await keys.to(question.getByRole('button', { name: 'End', exact: true }))
    await keys.press('Enter')
    await page.getByText(/^The session of .* has ended$/).waitFor()
    await t.resolves(untilRefused(site, elsewhere))
  })

  await site.visit(t, 'of this browser ends by signing out', {}, async (t, { page, context }) => {
    await page.goto('/sessions')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/login/)
    t.strictSame(await context.cookies(), [])
  })

  const nobody = { isSignedIn: false }
  await site.visit(t, 'of a namespace are their own alone', nobody, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    const token = await site.stack.createNamespacedToken(namespaceKey)
    secrets.add(token)
    await page.goto('/sessions')
    await signIn(page, token)
    await page.getByText('This browser').waitFor()
    await page.getByText('You see your own sessions only.').waitFor()
    await page.getByText(`is restricted to namespace "${namespaceKey}"`).waitFor()
    await expectNoViolations(t, page, 'bound to a namespace')
  })
})

/** @returns what the cookie of another browser holds */
async function beginSession(site: Site, token: string): Promise<string> {
  const { headers } = await call(site.url, 'POST', '/auth/v1/session', { token })
  const [, value] = /^svc_client_token=([^;]+)/.exec(headers.getSetCookie()[0] ?? '') ?? []
  if (value === undefined) throw new Error('the session did not begin')
  return value
}

/** Every gateway has it a moment later. */
async function untilRefused(site: Site, session: string): Promise<void> {
  const headers = { cookie: `svc_client_token=${session}` }
  await waitFor(async () => {
    const { status } = await call(site.url, 'GET', '/auth/v1/session', undefined, headers)
    return status === 401
  })
}
