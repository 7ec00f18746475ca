import { ListSessionsRequest } from '@svc/proto/auth/v1/sessions'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import {
  addLogin,
  as,
  firstToken,
  inSeconds,
  openAuth,
  type TestAuth,
  unauthenticated,
} from '../auth.test.support.ts'
import { loginsOf } from '../cli/cli.test.support.ts'
import { acmeEnv, acmeIssuer } from '../methods/oidc/oidc.test.support.ts'
import { signIn } from './sessions.test.support.ts'

const page = { limit: 0, pageToken: '' }

/** Logins count only while their method is enabled, and at the issuers that it has. */
const withIssuers = {
  ...acmeEnv(),
  SVC_AUTHENTICATION_METHODS_CODEHOST_ENABLED: 'true',
  SVC_AUTHENTICATION_METHODS_CODEHOST_SERVER_URL: 'https://idp.example',
  SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_ID: 'flags',
  SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_SECRET: 'a-secret-of-no-use',
}

const logIn = ({ db }: TestAuth, subject: string) =>
  addLogin(db, { method: 'METHOD_CODEHOST', subject })

const logInElsewhere = ({ db }: TestAuth, subject: string) =>
  addLogin(db, { subject, issuer: acmeIssuer, metadata: { 'io.svc.auth.oidc.provider': 'acme' } })

t.test('signIn', async (t) => {
  const auth = await openAuth(t, withIssuers)
  const { accepts: isGood, channel, identities, create, authentications, tokens, lines } = auth

  await t.test('gives the browser a token of its own, in the cookie alone', async (t) => {
    const { clientToken: token, id: parentId } = await create({ name: 'ui' })
    const { session, cookies, clientToken, id } = await signIn(channel, token)
    t.equal(cookies.length, 1)
    t.match(
      cookies[0],
      /^svc_client_token=svc_[\w-]{43}_\w{6}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=86400$/,
    )
    t.not(clientToken, token)
    t.not(id, parentId)
    t.match(session, { namespaceKey: '', issuer: '', subject: '', current: true })
    t.match(await identities.authenticate({ clientToken }), {
      authentication: { id, method: 'METHOD_TOKEN' },
      isSession: true,
      name: 'ui',
    })
    t.match(await identities.authenticate({ clientToken: token }), { isSession: false })
    t.notMatch(JSON.stringify([session, lines]), new RegExp(clientToken.slice(4, 40)))
  })

  await t.test('a session may do what its token may, and no more', async (t) => {
    const bound = { name: 'shop', namespaceKey: 'shop', metadata: { team: 'a' } }
    const { clientToken: token } = await create(bound)
    const { clientToken, session } = await signIn(channel, token)
    t.match(session, { namespaceKey: 'shop', authentication: { metadata: { team: 'a' } } })
    t.match(await identities.authenticate({ clientToken }), { namespaceKey: 'shop' })
    await t.rejects(authentications.getSelf({}, as(clientToken)), { code: 'permission_denied' })
  })

  await t.test('a session ends no later than its token', async (t) => {
    const expiresAt = inSeconds(600)
    const { clientToken: token } = await create({ expiresAt })
    const { session, cookies } = await signIn(channel, token)
    t.strictSame(session.authentication?.expiresAt, expiresAt)
    const [, maxAge] = /Max-Age=(\d+)/.exec(cookies[0] ?? '') ?? []
    t.ok(Number(maxAge) > 590 && Number(maxAge) <= 600, `${maxAge} s`)
  })

  await t.test('whatever ends the token ends its sessions, here and elsewhere', async (t) => {
    const other = await openAuth(t, withIssuers, auth.db)
    const ends = {
      deletion: (id: string) => authentications.deleteAuthentication({ id }, as(firstToken)),
      expiry: (_id: string, token: string) => authentications.expireSelf({}, as(token)),
      'another secret': (id: string) => tokens.rotateToken({ id, overlap: '' }, as(firstToken)),
    }
    for (const [name, end] of Object.entries(ends)) {
      const { clientToken: token, id } = await create({ name })
      const sessions = [await signIn(channel, token), await signIn(channel, token)]
      for (const { clientToken } of sessions) {
        t.ok((await isGood(clientToken)) && (await other.accepts(clientToken)))
      }
      await end(id, token)
      for (const { clientToken } of sessions) {
        t.notOk(await isGood(clientToken), name)
        await waitFor(async () => !(await other.accepts(clientToken)))
      }
    }
  })

  await t.test('an earlier expiry of the token is one of its sessions', async (t) => {
    const { clientToken: token } = await create({ name: 'ui' })
    const { clientToken } = await signIn(channel, token)
    const expiresAt = inSeconds(600)
    await authentications.expireSelf({ expiresAt }, as(token))
    const { authentication } = await identities.authenticate({ clientToken })
    t.strictSame(authentication?.expiresAt, expiresAt)
  })

  await t.test('a session made with an old secret ends with that secret', async (t) => {
    const { clientToken: token, id } = await create({ name: 'ui' })
    const early = await signIn(channel, token)
    const rotated = await tokens.rotateToken({ id, overlap: '1h' }, as(firstToken))
    const late = await signIn(channel, token)
    const fresh = await signIn(channel, rotated.clientToken)
    const deadline = rotated.authentication?.previousSecretExpiresAt
    for (const { clientToken } of [early, late]) {
      const { authentication } = await identities.authenticate({ clientToken })
      t.strictSame(authentication?.expiresAt, deadline)
    }
    await tokens.rotateToken({ id, overlap: '' }, as(firstToken))
    for (const { clientToken } of [early, late, fresh]) t.notOk(await isGood(clientToken))
  })

  await t.test('ends the session that the browser had, and never a static token', async (t) => {
    const { clientToken: token } = await create({ name: 'ui' })
    const first = await signIn(channel, token)
    await signIn(channel, token, { 'svc-session': first.clientToken })
    t.notOk(await isGood(first.clientToken))
    await signIn(channel, token, { 'svc-session': token })
    t.ok(await isGood(token))
  })

  await t.test('makes none when that cannot be ended', async (t) => {
    const { clientToken: token } = await create({ name: 'ui' })
    const { id, clientToken } = await signIn(channel, token)
    await auth.db.transaction(async (tx) => {
      await tx.query('SELECT FROM auth.authentications WHERE id = $1 FOR UPDATE', [id])
      const signing = signIn(channel, token, { 'svc-session': clientToken })
      await t.rejects(signing, { code: 'unavailable' })
    })
    const { sessions } = await auth.sessions.listOwnSessions(page, as(token))
    t.strictSame(
      sessions.map(({ authentication }) => authentication?.id),
      [id],
    )
  })

  await t.test('takes a token only from where it may be used', async (t) => {
    const request = { name: 'office', allowedAddresses: ['10.0.0.0/8'] }
    const { clientToken: token } = await create(request)
    for (const address of [undefined, '', '192.0.2.1', 'nonsense']) {
      const metadata = address === undefined ? {} : { 'svc-client-address': address }
      await t.rejects(signIn(channel, token, metadata), {
        code: 'permission_denied',
        message: 'token "office" may not be used from this address',
      })
    }
    const { session } = await signIn(channel, token, { 'svc-client-address': '10.1.2.3' })
    t.strictSame(session.authentication?.allowedAddresses, ['10.0.0.0/8'])
  })

  await t.test('refuses what is no static token', async (t) => {
    const { clientToken: token } = await create({ name: 'ui' })
    const { clientToken } = await signIn(channel, token)
    const login = await logIn(auth, 'anna')
    for (const other of [clientToken, login.clientToken]) {
      await t.rejects(signIn(channel, other), {
        code: 'permission_denied',
        message: 'only static tokens sign in here',
      })
    }
    const { logIn: logInCli } = loginsOf(auth, clientToken)
    await t.rejects(signIn(channel, await logInCli(), { 'svc-session': clientToken }), {
      code: 'permission_denied',
      message: 'only static tokens sign in here',
    })
    t.ok(await isGood(clientToken), 'the present session goes on')
    for (const unknown of ['nope', `${token}x`, ' ', 'a'.repeat(5000)]) {
      await t.rejects(signIn(channel, unknown), unauthenticated)
    }
    await t.rejects(signIn(channel, ''), { message: 'invalid field token: must not be empty' })
  })

  await t.test('while a token is deleted, no session outlives it', async (t) => {
    for (let i = 0; i < 20; i += 1) {
      const { clientToken: token, id } = await create({ name: 'race' })
      const signing = Array.from({ length: 4 }, () => signIn(channel, token).catch(() => undefined))
      await authentications.deleteAuthentication({ id }, as(firstToken))
      for (const one of await Promise.all(signing)) {
        if (one !== undefined) t.notOk(await isGood(one.clientToken))
      }
    }
    const [row] = await auth.db.query<{ orphans: number }>(
      `SELECT count(*)::int AS orphans FROM auth.authentications
        WHERE parent_id IS NOT NULL AND metadata->>'io.svc.auth.token.name' = 'race'`,
    )
    t.equal(row?.orphans, 0)
  })
})

t.test('the lifetime of sessions is a setting', async (t) => {
  const { channel, create } = await openAuth(t, {
    SVC_AUTHENTICATION_SESSION_TOKEN_LIFETIME: '1s',
    SVC_AUTHENTICATION_SESSION_INSECURE: 'true',
    SVC_AUTHENTICATION_SESSION_DOMAIN: 'flags.example',
  })
  const { clientToken: token } = await create({ name: 'ui' })
  const { cookies } = await signIn(channel, token)
  t.match(cookies[0], /; Path=\/; Domain=flags.example; HttpOnly; SameSite=Strict; Max-Age=1$/)
})

t.test('sessions', async (t) => {
  const auth = await openAuth(t, withIssuers)
  const { accepts: isGood, channel, sessions, authentications, create } = auth
  const idsOf = (list: { sessions: { authentication?: { id: string } | undefined }[] }) =>
    list.sessions.map(({ authentication }) => authentication?.id)

  await t.test('getSession describes who is signed in, also with other credentials', async (t) => {
    const anna = await logIn(auth, 'anna')
    t.match(await sessions.getSession({}, as(anna.clientToken)), {
      authentication: { id: anna.id, method: 'METHOD_CODEHOST' },
      issuer: 'https://idp.example',
      subject: 'anna',
      current: true,
    })
    const { clientToken, id } = await create({ name: 'shop', namespaceKey: 'shop' })
    t.match(await sessions.getSession({}, as(clientToken)), {
      authentication: { id },
      namespaceKey: 'shop',
      issuer: '',
    })
    await t.rejects(sessions.getSession({}), unauthenticated)
  })

  await t.test('signOut ends the session, and no other', async (t) => {
    const { clientToken: token } = await create({ name: 'ui', namespaceKey: 'shop' })
    const [one, two] = [await signIn(channel, token), await signIn(channel, token)]
    t.strictSame(await sessions.signOut({}, as(one.clientToken)), { logoutUrl: '' })
    t.notOk(await isGood(one.clientToken))
    t.ok(await isGood(two.clientToken))
    t.ok(await isGood(token))
    await t.rejects(sessions.signOut({}, as(one.clientToken)), unauthenticated)
  })

  await t.test('signOut does not end a token that was made by hand', async (t) => {
    const { clientToken: token } = await create({ name: 'ci' })
    await t.rejects(sessions.signOut({}, as(token)), {
      code: 'failed_precondition',
      message: 'this credential is no session; PUT /auth/v1/self/expire ends other tokens',
    })
    t.ok(await isGood(token))
  })

  await t.test('own sessions are those of the same subject at the same issuer', async (t) => {
    const bert = [await logIn(auth, 'bert'), await logIn(auth, 'bert')]
    const others = [await logInElsewhere(auth, 'bert'), await logIn(auth, 'carl')]
    const { clientToken: own = '' } = bert[0] ?? {}
    const list = await sessions.listOwnSessions(page, as(own))
    t.strictSame(
      idsOf(list),
      bert.map(({ id }) => id),
    )
    t.strictSame(
      list.sessions.map(({ current }) => current),
      [true, false],
    )
    for (const { id } of others) await sessions.deleteOwnSession({ id }, as(own))
    await sessions.deleteOwnSession({ id: 'nope\0' }, as(own))
    await sessions.deleteOwnSession({ id: bert[1]?.id ?? '' }, as(own))
    t.notOk(await isGood(bert[1]?.clientToken ?? ''))
    t.ok(await isGood(own))
    await sessions.deleteOwnSessions({}, as(own))
    t.notOk(await isGood(own))
    for (const { clientToken } of others) t.ok(await isGood(clientToken))
  })

  await t.test('own sessions of a static token are those made with it', async (t) => {
    const { clientToken: token, id } = await create({ name: 'ui', namespaceKey: 'shop' })
    const { clientToken: other } = await create({ name: 'other' })
    const made = [await signIn(channel, token), await signIn(channel, token)]
    const foreign = await signIn(channel, other)
    const { clientToken: session = '' } = made[0] ?? {}
    for (const credential of [token, session]) {
      const list = await sessions.listOwnSessions(page, as(credential))
      t.strictSame(
        idsOf(list),
        made.map((one) => one.id),
      )
    }
    // The token itself is no session.
    await sessions.deleteOwnSession({ id }, as(session))
    await sessions.deleteOwnSession({ id: foreign.id }, as(session))
    await sessions.deleteOwnSessions({}, as(token))
    for (const { clientToken } of made) t.notOk(await isGood(clientToken))
    t.ok((await isGood(token)) && (await isGood(foreign.clientToken)))
  })

  await t.test('a session begun with a token is none of the tokens that are listed', async (t) => {
    const { clientToken: token } = await create({ name: 'listed' })
    const made = await signIn(channel, token)
    const login = await logIn(auth, 'hugo')
    const all = { method: 'METHOD_NONE', limit: 100, pageToken: '' } as const
    const { authentications: found } = await authentications.listAuthentications(
      all,
      as(firstToken),
    )
    const ids = found.map(({ id }) => id)
    t.ok(ids.includes(login.id))
    t.notOk(ids.includes(made.id))
    const listed = await sessions.listSessions(
      ListSessionsRequest.fromPartial({ limit: 100 }),
      as(firstToken),
    )
    t.ok(idsOf(listed).includes(made.id))
    t.ok(idsOf(listed).includes(login.id))
  })

  await t.test('lists come in pages', async (t) => {
    const dora = [await logIn(auth, 'dora'), await logIn(auth, 'dora'), await logIn(auth, 'dora')]
    const list = (pageToken: string, limit = 2) => {
      const filter = { issuer: 'https://idp.example', subject: 'dora' }
      return sessions.listSessions({ ...filter, limit, pageToken }, as(firstToken))
    }
    const first = await list('')
    const last = await list(first.nextPageToken)
    const ids = dora.map(({ id }) => id)
    t.strictSame([...idsOf(first), ...idsOf(last), last.nextPageToken], [...ids, ''])
    const message = 'invalid field limit: must be greater than or equal to 0'
    await t.rejects(list('', -1), { message })
  })

  await t.test('a token manager ends the sessions of a person', async (t) => {
    const emil = await logIn(auth, 'emil')
    const elsewhere = await logInElsewhere(auth, 'emil')
    const filter = { issuer: 'https://idp.example', subject: 'emil', all: false }
    const { clientToken: bound } = await create({ name: 'b', namespaceKey: 'shop' })
    await t.rejects(sessions.deleteSessions(filter, as(bound)), { code: 'permission_denied' })
    await t.rejects(sessions.deleteSessions(filter), unauthenticated)
    t.ok(await isGood(emil.clientToken))
    await sessions.deleteSessions(filter, as(firstToken))
    t.notOk(await isGood(emil.clientToken))
    t.ok(await isGood(elsewhere.clientToken))
  })

  await t.test('what does not say whose sessions to end ends none', async (t) => {
    const fred = await logIn(auth, 'fred')
    const none = { issuer: '', subject: '', all: false }
    const bad = [
      none,
      { ...none, issuer: 'https://idp.example' },
      { ...none, subject: 'fred' },
      { issuer: 'https://idp.example', subject: 'fred', all: true },
      { ...none, subject: 'fred', all: true },
    ]
    for (const filter of bad) {
      await t.rejects(sessions.deleteSessions(filter, as(firstToken)), {
        code: 'invalid_argument',
        message: 'give issuer and subject, or all=true',
      })
    }
    t.ok(await isGood(fred.clientToken))
  })

  await t.test('all of them can be ended at once, and tokens stay', async (t) => {
    const gina = await logIn(auth, 'gina')
    const made = await signIn(channel, firstToken)
    await sessions.deleteSessions({ issuer: '', subject: '', all: true }, as(firstToken))
    for (const { clientToken } of [gina, made]) t.notOk(await isGood(clientToken))
    t.ok(await isGood(firstToken))
    const all = ListSessionsRequest.fromPartial({})
    t.strictSame(await sessions.listSessions(all, as(firstToken)), {
      sessions: [],
      nextPageToken: '',
    })
  })
})
