import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openLog, silent } from '../../auth.test.support.ts'
import { logoutUrl } from './logout-url.ts'

const url = 'https://idp.example/logout?client_id=flags'
const loginAt = (provider: string) => ({ metadata: { 'io.svc.auth.oidc.provider': provider } })

t.test('a session at a provider is signed out there, where that is offered', async (t) => {
  const endSessionUrl = async (provider: string) => (provider === 'corp' ? url : undefined)
  t.equal(await logoutUrl(loginAt('corp'), endSessionUrl, silent), url)
  t.equal(await logoutUrl(loginAt('other'), endSessionUrl, silent), '')
})

t.test('an unavailable provider does not delay signing out', async (t) => {
  const { log, lines } = openLog()
  const broken = async () => {
    throw new Error('unavailable')
  }
  t.equal(await logoutUrl(loginAt('corp'), broken, log), '')
  t.match(lines, [{ msg: 'cannot find the URL to sign out at the provider', provider: 'corp' }])
  const startedAt = performance.now()
  const leaving = new AbortController()
  const { signal } = leaving
  const hung = () => sleep(10_000, url, { signal })
  t.equal(await logoutUrl(loginAt('corp'), hung, log), '')
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 1400 && tookMs < 2500, `${tookMs} ms`)
  leaving.abort()
})
