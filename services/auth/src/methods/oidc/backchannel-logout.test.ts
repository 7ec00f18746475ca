import type { Database } from '@svc/database'
import { unavailable } from '@svc/runtime'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { addLogin, openAuthDatabase, silent, testEvents } from '../../auth.test.support.ts'
import { noTokenCache } from '../../credentials/cache/redis-cache.ts'
import { RecentRevocations } from '../../credentials/revocations/recent-revocations.ts'
import { revokeWith } from '../../credentials/revocations/revoke.ts'
import { ReplayGuard } from '../login/replay-guard.ts'
import { backchannelLogout } from './backchannel-logout.ts'
import { acmeSettings } from './oidc.test.support.ts'

const issuer = 'https://127.0.0.1:1'
const outage = { code: 'unavailable', message: 'the database is unavailable' }
const used = { code: 'invalid_argument', message: 'the logout token has been used' }

/** Logouts of ada at a provider, and a database that fails as often as the test says. */
async function setUp(t: Test) {
  const { acme: settings } = acmeSettings().providers
  if (settings === undefined) throw new Error('there is no provider')
  const database = await openAuthDatabase(t)
  const failures = { queries: 0, revocations: 0 }
  const fail = () => Promise.reject(unavailable(outage.message))
  const query: Database['query'] = (...asked) =>
    failures.queries-- > 0 ? fail() : database.query(...asked)
  const db: Database = { ...database, query }
  const revoke = revokeWith({
    db: database,
    shared: noTokenCache,
    revocations: new RecentRevocations(),
    events: testEvents,
  })
  const context = {
    db,
    log: silent,
    nowMs: Date.now,
    revoke: (...asked: Parameters<typeof revoke>) =>
      failures.revocations-- > 0 ? fail() : revoke(...asked),
  }
  const endLogins = backchannelLogout(context, new ReplayGuard(noTokenCache))
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'RS256' }] }
  const logoutToken = await new SignJWT({
    ...{ iss: issuer, aud: 'flags', sub: 'ada', jti: 'one' },
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'a', typ: 'logout+jwt' })
    .setIssuedAt()
    .sign(privateKey)
  const provider = { name: 'acme', issuer, settings }
  return {
    failures,
    logIn: (subject = 'ada') => addLogin(database, { issuer, subject }),
    logOut: () => endLogins(provider, keys, logoutToken),
    /** A logout at a replica of its own. */
    logOutAt(
      shared: ConstructorParameters<typeof ReplayGuard>[0],
      more: Partial<typeof context> = {},
    ) {
      const endLogins = backchannelLogout({ ...context, ...more }, new ReplayGuard(shared))
      return endLogins(provider, keys, logoutToken)
    },
    async subjects() {
      const rows = await database.query<{ subject: string }>(
        'SELECT subject FROM auth.authentications ORDER BY subject',
      )
      return rows.map(({ subject }) => subject)
    },
  }
}

t.test('a logout token ends the logins that it names, once', async (t) => {
  const { logIn, logOut, subjects } = await setUp(t)
  for (const subject of ['ada', 'bob', 'ada']) await logIn(subject)
  await logOut()
  t.strictSame(await subjects(), ['bob'])
  await logIn()
  await t.rejects(logOut(), used)
  t.strictSame(await subjects(), ['ada', 'bob'], 'a token that was captured ends no newer login')
})

t.test('a logout that failed may be repeated, with the same token', async (t) => {
  for (const part of ['queries', 'revocations'] as const) {
    await t.test(`of ${part}`, async (t) => {
      const { failures, logIn, logOut, subjects } = await setUp(t)
      for (const subject of ['ada', 'ada', 'bob']) await logIn(subject)
      failures[part] = 1
      await t.rejects(logOut(), outage)
      t.strictSame(await subjects(), ['ada', 'ada', 'bob'])
      await logOut()
      t.strictSame(await subjects(), ['bob'])
      await t.rejects(logOut(), used)
    })
  }
})

t.test('a logout whose replica was killed may be repeated a moment later', async (t) => {
  const { logIn, logOutAt, subjects } = await setUp(t)
  for (const subject of ['ada', 'bob']) await logIn(subject)
  const shared = openClaims()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const revoke = () => {
    resolve()
    return new Promise<never>(() => {})
  }
  void logOutAt(shared, { revoke })
  await begun
  await t.rejects(logOutAt(shared), used, 'it may still be at work')
  shared.pass(10_000)
  await logOutAt(shared)
  t.strictSame(await subjects(), ['bob'])
  shared.pass(60_000)
  await t.rejects(logOutAt(shared), used, 'one that was done stays claimed')
})

/** Claims that replicas share, with a clock of their own. */
function openClaims() {
  const claims = new Map<string, number>()
  let nowMs = 0
  return {
    pass(ms: number) {
      nowMs += ms
    },
    async claim(name: string, lifetimeMs: number) {
      if ((claims.get(name) ?? 0) > nowMs) return false
      claims.set(name, nowMs + lifetimeMs)
      return true
    },
    extend: async (name: string, lifetimeMs: number) => void claims.set(name, nowMs + lifetimeMs),
    release: async (name: string) => void claims.delete(name),
  }
}
