import type { Page } from 'playwright-core'
import t from 'tap'
import { startHttpsSite } from '../support/https-site.ts'
import { oidcEnv } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { signIn, startSite } from './support/site.ts'

const host = 'flags.example.test'
const path = '/tools/flags'

/** Signs in, creates a flag, opens it, and loads the page again there, which follows changes. */
async function createFlag(page: Page, flags: string, token: string): Promise<void> {
  await page.goto(flags)
  await page.waitForURL((url) => url.pathname === `${path}/login`)
  await signIn(page, token)
  await page.waitForURL((url) => url.pathname === flags)
  await page.getByRole('button', { name: 'Create the first flag' }).click()
  const dialog = page.getByRole('dialog', { name: /New flag/ })
  await dialog.getByLabel('Name', { exact: true }).fill('Express delivery')
  await dialog.getByRole('button', { name: 'Create flag' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.goto(flags)
  await page.getByRole('link', { name: 'Express delivery' }).click()
  await page.waitForURL((url) => url.pathname === `${flags}/express-delivery`)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: /express.delivery/i }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
}

/** Paths that the browser asked for, of this site and not below the path. */
const astray = (seen: readonly { readonly path: string }[]) =>
  seen.map(({ path }) => path).filter((one) => !one.startsWith(`${path}/`))

t.test('below a path that a proxy takes away', async (t) => {
  const proxy = await startHttpsSite(t, host)
  const origin = `https://${host}:${proxy.port}`
  const publicUrl = origin + path
  const provider = await startOidcProvider(t, {
    publicUrl,
    name: 'acme',
    people: { ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' } },
    hasPages: true,
  })
  const env = oidcEnv(publicUrl, { acme: provider })
  const site = await startSite(t, { url: origin, env })
  proxy.passTo(site.gatewayUrl, { path })
  const signedOut = { isSignedIn: false, otherOrigins: [provider.issuer] }

  await site.visit(t, 'flags are made and opened', signedOut, async (t, { page, own }) => {
    await createFlag(page, path + own('flags'), site.token)
    t.strictSame(astray(proxy.seen), [])
  })

  await site.visit(t, 'people log in at a provider', signedOut, async (t, { page, own }) => {
    const flags = `${path}${own('flags')}?q=a`
    await page.goto(flags)
    await page.getByRole('link', { name: 'Continue with acme' }).click()
    await page.fill('[name=login]', 'ada')
    await page.fill('[name=password]', 'any will do')
    await Promise.all([page.waitForURL(/\/interaction\//), page.click('[type=submit]')])
    await page.waitForSelector('form:not(:has([name=login])) [type=submit]')
    await page.click('[type=submit]')
    await page.waitForURL(origin + flags)
    await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor()
    t.strictSame(astray(proxy.seen), [])
  })

  await site.visit(t, 'a login that fails leads back', signedOut, async (t, { page, own }) => {
    await page.goto(`${path}${own('flags')}?q=a`)
    await page.getByRole('link', { name: 'Continue with acme' }).click()
    await page.waitForSelector('[name=login]')
    await page.getByRole('link', { name: /Cancel/ }).click()
    await page.waitForURL((url) => url.pathname === `${path}/login`)
    await page.getByText('The sign-in was cancelled at the provider.').waitFor()
    const search = new URL(page.url()).searchParams
    t.equal(search.get('back'), `${own('flags')}?q=a`)
    await signIn(page, site.token)
    await page.waitForURL(`${origin}${path}${own('flags')}?q=a`)
    t.strictSame(astray(proxy.seen), [])
  })
})

t.test('below a path that the proxy names', async (t) => {
  const proxy = await startHttpsSite(t, host)
  const origin = `https://${host}:${proxy.port}`
  const site = await startSite(t, {
    url: origin,
    env: { SVC_SERVER_PUBLIC_URL: origin, SVC_SERVER_TRUSTED_PROXIES: '127.0.0.0/8' },
  })
  proxy.passTo(site.gatewayUrl, { path, isSaid: true })
  const signedOut = { isSignedIn: false }
  await site.visit(t, 'flags are made and opened too', signedOut, async (t, { page, own }) => {
    await createFlag(page, path + own('flags'), site.token)
    t.strictSame(astray(proxy.seen), [])
  })
})
