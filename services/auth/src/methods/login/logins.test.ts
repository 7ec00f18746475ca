import { openDatabase } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import { unavailable } from '@svc/runtime'
import t, { type Test } from 'tap'
import { addLogin, openAuthDatabase, settingsFor, silent } from '../../auth.test.support.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import { startCredentials } from '../../credentials/credentials.ts'
import { openBrowser } from './browser.test.support.ts'
import { type LoginAdapter, openLogins } from './logins.ts'

const adapter: LoginAdapter = {
  name: 'oidc/acme',
  issuer: 'https://idp.example',
  authorizeUrl: async ({ state }) => `https://idp.example/?state=${state}`,
  redeem: async () => ({
    method: Method.METHOD_OIDC,
    metadata: {},
    issuer: 'https://idp.example',
    subject: 'ada',
  }),
}

/** Logins of a browser that has a session already. */
async function setUp(t: Test, more: Partial<ServiceContext> = {}) {
  const database = await openAuthDatabase(t)
  const db = openDatabase(database.url, { name: 'logins', log: silent, maxConnections: 5 })
  const settings = settingsFor(database.url)
  const context = await startCredentials({ settings, db, background: db, log: silent }, new Map())
  t.teardown(async () => {
    await context.close()
    await db.close()
  })
  const logins = await openLogins({ ...context, ...more })
  const present = await addLogin(database)
  const browser = openBrowser()
  return {
    present,
    browser,
    /** @param sent when the browser sends the cookie of its session */
    async logIn(sent: { readonly atBegin?: true; readonly atFinish?: true }) {
      const session = { 'svc-session': present.clientToken }
      const begun = browser.call(sent.atBegin ? session : {})
      const { authorizeUrl } = await logins.begin(adapter, '/', begun)
      const state = new URL(authorizeUrl).searchParams.get('state') ?? ''
      const call = browser.call(sent.atFinish ? session : {})
      return logins.finish(adapter, { code: 'a code', state, error: '' }, call)
    },
    async sessionIds() {
      const rows = await database.query<{ id: string }>('SELECT id FROM auth.authentications')
      return rows.map(({ id }) => id)
    },
  }
}

t.test('a login takes the place of the session that the browser had', async (t) => {
  const { browser, logIn, sessionIds } = await setUp(t)
  const { authentication, clientToken } = await logIn({ atFinish: true })
  t.equal(clientToken, '', 'it is in the cookie alone')
  t.match(
    browser.cookies.get('__Host-svc_client_token') ?? browser.cookies.get('svc_client_token'),
    /^svc_/,
  )
  t.strictSame(await sessionIds(), [authentication.id])
})

t.test('also when the cookie of that is not sent with the redirect of another site', async (t) => {
  const { logIn, sessionIds } = await setUp(t)
  const { authentication } = await logIn({ atBegin: true })
  t.strictSame(await sessionIds(), [authentication.id])
})

t.test('a login makes no session when that cannot be ended', async (t) => {
  const outage = { code: 'unavailable', message: 'the database is not available' }
  const revoke = () => Promise.reject(unavailable(outage.message))
  const { browser, logIn, present, sessionIds } = await setUp(t, { revoke })
  for (const sent of [{ atBegin: true }, { atFinish: true }] as const) {
    await t.rejects(logIn(sent), outage)
    t.strictSame(await sessionIds(), [present.id])
  }
  t.notOk([...browser.cookies.values()].some((value) => value.startsWith('svc_')))
})
