import t from 'tap'
import { startHttpsSite } from '../support/https-site.ts'
import { oidcEnv } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { expectNoViolations } from './support/axe.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { signIn, startSite } from './support/site.ts'

const host = 'flags.example.test'

t.test('signing in', async (t) => {
  const proxy = await startHttpsSite(t, host)
  const publicUrl = `https://${host}:${proxy.port}`
  const provider = await startOidcProvider(t, {
    publicUrl,
    name: 'acme',
    people: { ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' } },
    hasPages: true,
  })
  const site = await startSite(t, { url: publicUrl, env: oidcEnv(publicUrl, { acme: provider }) })
  proxy.passTo(site.gatewayUrl)
  const nobody = { isSignedIn: false }

  await site.visit(
    t,
    'with a token, leads to what was asked for',
    nobody,
    async (t, { page, own }) => {
      await page.goto(own('flags?q=checkout'))
      await page.waitForURL(/\/login\?/)
      await expectNoViolations(t, page)
      await signIn(page, site.token)
      await page.getByRole('heading', { name: 'No flag matches' }).waitFor()
      t.equal(new URL(page.url()).pathname, own('flags'))
      t.equal(new URL(page.url()).searchParams.get('q'), 'checkout')
    },
  )

  await site.visit(t, 'works by keyboard alone', nobody, async (t, { page, own, namespaceKey }) => {
    await page.goto(own('flags'))
    const keys = keyboardOf(page)
    await keys.to(page.getByLabel('Token', { exact: true }))
    await keys.type(site.token)
    await keys.press('Enter')
    await page.waitForURL(`**${own('flags')}`)
    await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor()
    t.equal(await page.title(), `Flags · ${namespaceKey} · svc`)
  })

  await site.visit(
    t,
    'refuses what is no token, and keeps it nowhere',
    nobody,
    async (t, visit) => {
      const { page, secrets } = visit
      secrets.add('svc_mistyped')
      await page.goto('/login')
      const token = page.getByLabel('Token', { exact: true })
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Paste a token first.').waitFor()
      await token.fill('svc_mistyped')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('This token is not accepted.').waitFor()
      t.ok(await hasFocus(token), 'the field has the focus')
      t.equal(await token.getAttribute('aria-invalid'), 'true')
      t.equal(await token.getAttribute('type'), 'password')
      await expectNoViolations(t, page, 'with an error')
    },
  )

  await site.visit(
    t,
    'at a provider, comes back to what was asked for',
    { ...nobody, otherOrigins: [provider.issuer] },
    async (t, { page, context, own }) => {
      await page.goto(own('flags?q=checkout'))
      await page.getByRole('link', { name: 'Continue with acme' }).click()
      await page.fill('[name=login]', 'ada')
      await page.fill('[name=password]', 'any will do')
      await Promise.all([page.waitForURL(/\/interaction\//), page.click('[type=submit]')])
      await page.waitForSelector('form:not(:has([name=login])) [type=submit]')
      await page.click('[type=submit]')
      await page.waitForURL(`${publicUrl}${own('flags')}?q=checkout`)
      await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor()
      t.ok(await page.getByText('Ada').first().isVisible(), 'who is signed in is seen')
      const cookies = await context.cookies(publicUrl)
      const session = cookies.find(({ name }) => name === 'svc_client_token')
      t.match(session, { httpOnly: true, secure: true, sameSite: 'Strict' })
    },
  )

  await site.visit(t, 'says how to get in without a token', nobody, async (t, { page }) => {
    await page.goto('/login')
    const opener = page.getByRole('button', { name: 'Lost every token?' })
    const keys = keyboardOf(page)
    await keys.to(opener)
    await keys.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Make a new token' })
    await dialog.waitFor()
    await expectNoViolations(t, page, 'the dialog')
    await keys.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.ok(await hasFocus(opener), 'the focus is back')
  })

  await site.visit(t, 'leads to no other site', nobody, async (t, { page, context }) => {
    for (const back of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      await page.goto(`/login?back=${encodeURIComponent(back)}`)
      await signIn(page, site.token)
      await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor()
      t.equal(new URL(page.url()).pathname, '/ns/default/flags', back)
      await context.clearCookies()
    }
  })

  await site.visit(t, 'is followed by signing out', {}, async (t, { page, context, own }) => {
    await page.goto(own('flags'))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('button').last().click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(/\/login/)
    t.strictSame(await context.cookies(), [])
    await page.getByLabel('Token', { exact: true }).waitFor()
    await page.goto(own('flags'))
    await page.waitForURL(/\/login\?back=/)
  })
})
