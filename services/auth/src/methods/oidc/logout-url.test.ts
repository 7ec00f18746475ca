import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { addLogin, as, openAuth, openLog, silent } from '../../auth.test.support.ts'
import { acmeEnv, section } from './oidc.test.support.ts'
import { logoutUrl } from './oidc.ts'

const url = 'https://idp.example/logout?client_id=flags'
const corp = (endSessionUrl: () => Promise<string | undefined>) => ({ name: 'corp', endSessionUrl })

t.test('a session at a provider is signed out there, where that is offered', async (t) => {
  const cases = [
    [corp(async () => url), url],
    [corp(async () => undefined), ''],
    // It is no longer configured.
    [undefined, ''],
  ] as const
  for (const [provider, expected] of cases) {
    t.equal(await logoutUrl(provider, undefined, silent), expected)
  }
})

t.test('an unavailable provider does not delay signing out', async (t) => {
  const { log, lines } = openLog()
  const broken = corp(() => Promise.reject(new Error('unavailable')))
  t.equal(await logoutUrl(broken, undefined, log), '')
  t.match(lines, [{ msg: 'cannot find the URL to sign out at the provider', provider: 'corp' }])
  const startedAt = performance.now()
  const leaving = new AbortController()
  const hung = corp(() => sleep(10_000, url, { signal: leaving.signal }))
  t.equal(await logoutUrl(hung, undefined, log), '')
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 1400 && tookMs < 2500, `${tookMs} ms`)
  leaving.abort()
})

/** A provider where a browser can sign out. @returns its issuer */
async function startProvider(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      end_session_endpoint: `${issuer}/logout`,
      jwks_uri: `${issuer}/keys`,
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return issuer
}

t.test('the provider sends the browser back to where this service is', async (t) => {
  const issuer = await startProvider(t)
  const metadata = { 'io.svc.auth.oidc.provider': 'acme' }
  const provider = `${section}_PROVIDERS_ACME`
  const settings = { [`${provider}_ISSUER_URL`]: issuer, [`${provider}_ALLOW_INSECURE`]: 'true' }
  const redirectAddress = `${provider}_REDIRECT_ADDRESS`
  for (const [publicUrl, address, expected] of [
    ['https://flags.example', undefined, 'https://flags.example/'],
    ['https://flags.example/', undefined, 'https://flags.example/'],
    ['https://FLAGS.example:443', undefined, 'https://flags.example/'],
    ['https://example.com/tools/flags', undefined, 'https://example.com/tools/flags/'],
    ['https://example.com/tools/flags/', undefined, 'https://example.com/tools/flags/'],
    ['https://example.com/tools', 'https://flags.example/a/b', 'https://flags.example/a/b/'],
  ] as const) {
    const env = { SVC_SERVER_PUBLIC_URL: publicUrl, ...(address && { [redirectAddress]: address }) }
    const auth = await openAuth(t, acmeEnv({ ...settings, ...env }))
    const { clientToken } = await addLogin(auth.db, { issuer, metadata })
    const { logoutUrl: url } = await auth.sessions.signOut({}, as(clientToken))
    t.equal(new URL(url).searchParams.get('post_logout_redirect_uri'), expected)
    await auth.close()
  }
})
