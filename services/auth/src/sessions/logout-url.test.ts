import { setTimeout as sleep } from 'node:timers/promises'
import { Authentication } from '@svc/proto/auth/v1/authentications'
import t from 'tap'
import { openLog, silent } from '../auth.test.support.ts'
import { logoutUrlOf } from './logout-url.ts'

const url = 'https://idp.example/logout?client_id=flags'
const loginAt = (provider: string, method = 'METHOD_OIDC' as const) => ({
  authentication: Authentication.fromPartial({
    method,
    metadata: { 'io.svc.auth.oidc.provider': provider },
  }),
})

t.test('a session at a provider is signed out there, where that is offered', async (t) => {
  const endSessionUrl = async (provider: string) => (provider === 'corp' ? url : undefined)
  t.equal(await logoutUrlOf(loginAt('corp'), endSessionUrl, silent), url)
  t.equal(await logoutUrlOf(loginAt('other'), endSessionUrl, silent), '')
})

t.test('the provider is told by the ID token who signs out', async (t) => {
  const endSessionUrl = async (_provider: string, idToken?: string) => `${url}&hint=${idToken}`
  t.equal(await logoutUrlOf(loginAt('corp'), endSessionUrl, silent, 'a.b.c'), `${url}&hint=a.b.c`)
  t.equal(await logoutUrlOf(loginAt('corp'), endSessionUrl, silent), `${url}&hint=undefined`)
})

t.test('other sessions have no provider to sign out at', async (t) => {
  const endSessionUrl = async () => {
    t.fail('asked a provider')
    return url
  }
  const token = Authentication.fromPartial({ method: 'METHOD_TOKEN' })
  t.equal(await logoutUrlOf({ authentication: token }, endSessionUrl, silent), '')
  t.equal(await logoutUrlOf({ authentication: undefined }, endSessionUrl, silent), '')
  // The metadata of a token is what somebody has written there.
  const { metadata } = loginAt('corp').authentication
  const named = Authentication.fromPartial({ method: 'METHOD_TOKEN', metadata })
  t.equal(await logoutUrlOf({ authentication: named }, endSessionUrl, silent), '')
})

t.test('a provider that is away holds nobody up', async (t) => {
  const { log, lines } = openLog()
  const away = async () => {
    throw new Error('away')
  }
  t.equal(await logoutUrlOf(loginAt('corp'), away, log), '')
  t.match(lines, [{ msg: 'cannot tell where to sign out at the provider', provider: 'corp' }])
  const startedAt = performance.now()
  const leaving = new AbortController()
  const { signal } = leaving
  const hung = () => sleep(10_000, url, { signal })
  t.equal(await logoutUrlOf(loginAt('corp'), hung, log), '')
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 1400 && tookMs < 2500, `${tookMs} ms`)
  leaving.abort()
})
