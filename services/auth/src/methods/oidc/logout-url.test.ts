import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openLog, silent } from '../../auth.test.support.ts'
import { logoutUrl } from './oidc.ts'

const url = 'https://idp.example/logout?client_id=flags'
const provider = (endSessionUrl: () => Promise<string | undefined>) => ({
  name: 'corp',
  endSessionUrl,
})

t.test('a session at a provider is signed out there, where that is offered', async (t) => {
  t.equal(
    await logoutUrl(
      provider(async () => url),
      undefined,
      silent,
    ),
    url,
  )
  t.equal(
    await logoutUrl(
      provider(async () => undefined),
      undefined,
      silent,
    ),
    '',
  )
  t.equal(await logoutUrl(undefined, undefined, silent), '', 'it is no longer configured')
})

t.test('an unavailable provider does not delay signing out', async (t) => {
  const { log, lines } = openLog()
  const broken = provider(async () => {
    throw new Error('unavailable')
  })
  t.equal(await logoutUrl(broken, undefined, log), '')
  t.match(lines, [{ msg: 'cannot find the URL to sign out at the provider', provider: 'corp' }])
  const startedAt = performance.now()
  const leaving = new AbortController()
  const hung = provider(() => sleep(10_000, url, { signal: leaving.signal }))
  t.equal(await logoutUrl(hung, undefined, log), '')
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 1400 && tookMs < 2500, `${tookMs} ms`)
  leaving.abort()
})
