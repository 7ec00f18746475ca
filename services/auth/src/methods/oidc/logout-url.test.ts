import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openLog, silent } from '../../auth.test.support.ts'
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
