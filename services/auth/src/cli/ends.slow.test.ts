import { ListEventsRequest } from '@svc/proto/auth/v1/events'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import {
  addLogin,
  as,
  firstToken,
  inSeconds,
  openAuth,
  unauthenticated,
} from '../auth.test.support.ts'
import { findLogins } from '../methods/login/logins.store.ts'
import { from, loginsOf, openSession, withCodehost } from './cli.test.support.ts'

const login = { method: 'METHOD_CODEHOST' } as const
t.test('the token ends with the session', async (t) => {
  const auth = await openAuth(t, withCodehost)
  const other = await openAuth(t, withCodehost, auth.db)
  const { accepts: isGood, authentications, sessions, tokens } = auth
  const byAdmin = as(firstToken)
  type Session = Awaited<ReturnType<typeof openSession>>

  const ends: Record<string, (session: Session) => Promise<unknown>> = {
    'when the browser signs out': ({ clientToken }) => sessions.signOut({}, as(clientToken)),
    'when the person ends it': ({ id, parent }) =>
      sessions.deleteOwnSession({ id }, as(parent.clientToken)),
    'when the person ends all of them': ({ clientToken }) =>
      sessions.deleteOwnSessions({}, as(clientToken)),
    'when it is deleted like a token': ({ id }) =>
      authentications.deleteAuthentication({ id }, byAdmin),
    'when its static token is deleted': ({ parent }) =>
      authentications.deleteAuthentication({ id: parent.id }, byAdmin),
    'when its static token expires': ({ parent }) =>
      authentications.expireSelf({}, as(parent.clientToken)),
    'when its static token gets another secret': ({ parent }) =>
      tokens.rotateToken({ id: parent.id, overlap: '' }, byAdmin),
  }
  for (const [name, end] of Object.entries(ends)) {
    await t.test(name, async (t) => {
      const session = await openSession(auth)
      const clientToken = await session.logIn()
      const waiting = await session.allow()
      t.ok((await isGood(clientToken)) && (await other.accepts(clientToken)))
      await end(session)
      t.notOk(await isGood(clientToken))
      await waitFor(async () => !(await other.accepts(clientToken)))
      await t.rejects(other.cli.exchangeCliCode(waiting), unauthenticated)
    })
  }

  await t.test('when all sessions of the installation end, of which there are many', async (t) => {
    const session = await openSession(auth)
    const made = await session.logIn()
    const [first, last] = [await addLogin(auth.db, login), await addLogin(auth.db, login)]
    await auth.db.query(
      `INSERT INTO auth.authentications (id, method, token_hash, issuer, subject, is_session)
       SELECT '00000000-' || n, 'METHOD_CODEHOST', sha256(n::text::bytea), 'i', 's', true
         FROM generate_series(1, 1100) AS n`,
    )
    const ofFirst = await loginsOf(auth, first.clientToken).logIn()
    await sessions.deleteSessions({ issuer: '', subject: '', all: true }, byAdmin)
    t.notOk((await isGood(made)) || (await isGood(ofFirst)))
    t.notOk((await isGood(first.clientToken)) || (await isGood(last.clientToken)))
  })

  await t.test('when its end is brought forward', async (t) => {
    const { logIn, parent } = await openSession(auth)
    const clientToken = await logIn()
    const expiresAt = inSeconds(600)
    await authentications.expireSelf({ expiresAt }, as(parent.clientToken))
    const { authentication } = await auth.identities.authenticate({ clientToken })
    t.strictSame(authentication?.expiresAt, expiresAt)
  })

  await t.test('when it was not used for too long, however much the token is', async () => {
    const { logIn, id } = await openSession(auth)
    const clientToken = await logIn()
    const usedAgo = (interval: string) =>
      auth.db.query(
        `UPDATE auth.authentications SET idle_timeout = CASE WHEN id = $1 THEN interval '10 minutes' END,
                last_used_at = now() - CASE WHEN id = $1 THEN $2::interval ELSE interval '0' END
          WHERE id = $1 OR parent_id = $1`,
        [id, interval],
      )
    await usedAgo('11 minutes')
    const leftMs = async () => (await auth.identities.authenticate({ clientToken })).expiresInMs
    await waitFor(async () => ((await leftMs()) ?? 0) < 70_000)
    await usedAgo('13 minutes')
    await waitFor(async () => !(await isGood(clientToken)))
  })

  await t.test(
    'when the provider ends that session, and not when it ends another one',
    async (t) => {
      const found = async (sid: string) => {
        const logout = { subject: 'ada', sessionId: sid }
        return (await findLogins(auth.db, 'https://idp.example', logout)).length
      }
      const more = { ...login, sessionId: 'one' }
      const one = await addLogin(auth.db, more)
      await addLogin(auth.db, { ...more, sessionId: 'two' })
      await loginsOf(auth, one.clientToken).logIn()
      t.equal(await found('one'), 2)
      t.equal(await found('two'), 1)
    },
  )

  await t.test('and no token outlives a session that ends while it is made', async (t) => {
    for (let i = 0; i < 20; i += 1) {
      const { allow, clientToken } = await openSession(auth)
      const waiting = [await allow(), await allow(), await allow()]
      const exchanging = waiting.map((one) => auth.cli.exchangeCliCode(one).catch(() => undefined))
      await sessions.signOut({}, as(clientToken))
      for (const made of await Promise.all(exchanging)) {
        if (made !== undefined) t.notOk(await isGood(made.clientToken))
      }
    }
  })
})

t.test('signing out with the token ends it and leaves the session', async (t) => {
  const auth = await openAuth(t)
  const { accepts: isGood, sessions } = auth
  for (const namespaceKey of ['', 'shop']) {
    const { logIn, clientToken: session } = await openSession(auth, { namespaceKey })
    const [one, two] = [await logIn(), await logIn()]
    t.strictSame(await sessions.signOut({}, as(one)), { logoutUrl: '' })
    t.notOk(await isGood(one))
    t.ok((await isGood(two)) && (await isGood(session)))
  }
})

t.test('both steps are events, and so is the end', async (t) => {
  const auth = await openAuth(t)
  const { cli, identities, sessions } = auth
  const { allow, clientToken: session, id: sessionId, logIn } = await openSession(auth)
  const { clientToken } = await cli.exchangeCliCode(await allow(), from('none', '192.0.2.8'))
  const { authentication } = await identities.authenticate({ clientToken })
  const id = authentication?.id ?? ''
  await sessions.signOut({}, as(clientToken))
  const last = await identities.authenticate({ clientToken: await logIn() })
  await sessions.signOut({}, as(session))
  const request = ListEventsRequest.fromPartial({ after: 3 })
  const { events } = await auth.events.listEvents(request, as(firstToken))
  const made = { name: 'laptop', reason: 'cli', session: sessionId, expiresAt: /Z$/ }
  const ended = { type: 'token.deleted', details: { name: 'laptop', reason: 'session.signed_out' } }
  t.match(events, [
    {
      type: 'cli.allowed',
      subjectId: sessionId,
      actorName: 'ui',
      address: '192.0.2.7',
      details: { name: 'laptop' },
    },
    { type: 'token.created', subjectId: id, actorName: 'ui', address: '192.0.2.8', details: made },
    { ...ended, subjectId: id },
    { type: 'cli.allowed' },
    { type: 'token.created', subjectId: last.authentication?.id, details: made },
    { type: 'session.signed_out', subjectId: sessionId },
    { ...ended, subjectId: last.authentication?.id },
  ])
  t.equal(events.length, 7)
})
