import { ListEventsRequest } from '@svc/proto/auth/v1/events'
import t from 'tap'
import { as, firstToken, inSeconds, openAuth, unauthenticated } from '../auth.test.support.ts'

const env = { SVC_CHANGES_KEY: 'the-key-of-the-log-of-events-00001' }
const from = (token: string, address = '192.0.2.7') => ({
  metadata: { authorization: `Bearer ${token}`, 'svc-client-address': address },
})

async function open(t: Parameters<typeof openAuth>[0]) {
  const auth = await openAuth(t, env)
  const list = (request: Partial<ListEventsRequest> = {}) =>
    auth.events.listEvents(ListEventsRequest.fromPartial(request), as(firstToken))
  const { authentication } = await auth.identities.authenticate({ clientToken: firstToken })
  return { ...auth, list, firstId: authentication?.id ?? '' }
}

t.test('what happens to tokens', async (t) => {
  const { tokens, authentications, list, firstId } = await open(t)
  const request = {
    name: 'shop',
    description: '',
    metadata: {},
    allowedAddresses: ['192.0.2.0/24'],
  }
  const names = { namespaceKey: 'default', namespace: '' }
  const made = await tokens.createToken({ ...request, ...names }, from(firstToken))
  const id = made.authentication?.id ?? ''
  await tokens.rotateToken({ id, overlap: '1h' }, from(firstToken))
  await authentications.deleteAuthentication({ id }, from(firstToken, 'no address'))
  await authentications.deleteAuthentication({ id }, from(firstToken))
  const free = { ...request, namespaceKey: '', namespace: '', allowedAddresses: [] }
  const other = await tokens.createToken({ ...free }, from(firstToken))
  const own = other.authentication?.id ?? ''
  await authentications.expireSelf({ expiresAt: inSeconds(600) }, from(other.clientToken))

  const { events } = await list({ after: 0 })
  const by = { actorId: firstId, actorName: 'initial_bootstrap_token' }
  t.match(events, [
    { number: 1, type: 'token.created', actorId: 'system', actorName: '', subjectId: firstId },
    {
      ...by,
      type: 'token.created',
      subjectId: id,
      address: '192.0.2.7',
      details: { name: 'shop', namespaceKey: 'default', allowedAddresses: ['192.0.2.0/24'] },
    },
    { ...by, type: 'token.rotated', subjectId: id, details: { name: 'shop', previousUntil: /Z$/ } },
    { ...by, type: 'token.deleted', subjectId: id, address: '', details: { name: 'shop' } },
    { ...by, type: 'token.created', subjectId: own },
    { type: 'token.expired', actorId: own, actorName: 'shop', details: { expiresAt: /Z$/ } },
  ])
  t.equal(events.length, 6, 'deleting what does not exist is no event')
})

t.test('what happens to sessions', async (t) => {
  const { sessions, authentications, create, list } = await open(t)
  const parent = await create({ name: 'shop' })
  const signIn = async () => {
    let cookie = ''
    const onTrailers = (trailers: (name: string) => readonly string[]) => {
      cookie = trailers('svc-set-cookie')[0] ?? ''
    }
    const { authentication } = await sessions.signIn(
      { token: parent.clientToken },
      { ...from('none'), onTrailers },
    )
    const [, clientToken = ''] = /svc_client_token=([^;]*)/.exec(cookie) ?? []
    return { id: authentication?.id ?? '', clientToken }
  }
  const [first, second, third] = [await signIn(), await signIn(), await signIn()]
  await sessions.signOut({}, from(first.clientToken))
  await sessions.deleteOwnSession({ id: second.id }, from(third.clientToken))
  await authentications.deleteAuthentication({ id: parent.id }, from(firstToken))

  const { events } = await list({ after: 2 })
  const login = { type: 'login.succeeded', actorId: parent.id, details: { provider: 'token' } }
  t.match(events, [
    { ...login, subjectId: first.id, address: '192.0.2.7' },
    { ...login, subjectId: second.id },
    { ...login, subjectId: third.id },
    { type: 'session.signed_out', subjectId: first.id },
    { type: 'session.ended', subjectId: second.id },
    { type: 'token.deleted', subjectId: parent.id },
    { type: 'session.ended', subjectId: third.id, details: { reason: 'token.deleted' } },
  ])
  t.equal(events.length, 7)
})

t.test(
  'a flood of refusals is a row for each kind, and one for those beyond the bound',
  async (t) => {
    const auth = await open(t)
    const { identities, sessions, close, db } = auth
    for (let i = 0; i < 3; i++) {
      await t.rejects(sessions.signIn({ token: `wrong ${i}` }, from('none')), unauthenticated)
    }
    const refusal = (n: number, more = {}) => ({
      principal: '',
      address: `10.0.${n >> 8}.${n & 255}`,
      route: '/flags',
      reason: 'unauthenticated',
      status: 401,
      count: 10,
      isOther: false,
      ...more,
    })
    const refusals = Array.from({ length: 1000 }, (_, n) => refusal(n))
    for (let i = 0; i < 20; i++) await identities.reportUses({ uses: [], refusals })
    const others = [
      refusal(0, { isOther: true, count: 7 }),
      refusal(0, { principal: auth.firstId, reason: 'address_refused', status: 403, count: 0 }),
      refusal(0, { reason: 'a secret!' }),
      refusal(0, { route: `/${'x'.repeat(300)}` }),
      refusal(0, { address: 'nowhere' }),
      refusal(0, { principal: 'p'.repeat(65) }),
    ]
    await identities.reportUses({ uses: [], refusals: others })
    await t.rejects(
      identities.reportUses({ uses: [], refusals: [...refusals, refusal(0)] }),
      /refusals: must be at most 1000/,
    )
    await close()
    const rows = await db.query<{ type: string; count: number; reason: string; rows: number }>(
      `SELECT type, details->>'reason' AS reason, sum((details->>'count')::int)::int AS count,
            count(*)::int AS rows
       FROM auth.events WHERE number > 1 GROUP BY 1, 2 ORDER BY 1, 2`,
    )
    t.strictSame(rows, [
      { type: 'login.refused', reason: 'invalid_credential', count: 3, rows: 1 },
      { type: 'request.refused', reason: 'other', count: (1000 - 597) * 200 + 7, rows: 1 },
      { type: 'request.refused', reason: 'unauthenticated', count: 597 * 200, rows: 597 },
    ])
  },
)

t.test('reading', async (t) => {
  const { create, list, events, firstId } = await open(t)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) ids.push((await create({ name })).id)
  const numbers = async (request: Partial<ListEventsRequest>) =>
    (await list(request)).events.map(({ number }) => number)

  await t.test('in pages, the newest first, or the oldest after a number', async (t) => {
    const first = await list({ limit: 2 })
    t.strictSame(
      first.events.map(({ number }) => number),
      [5, 4],
    )
    t.strictSame(await numbers({ limit: 2, pageToken: first.nextPageToken }), [3, 2])
    const next = await list({ after: 1, limit: 3 })
    t.strictSame(
      next.events.map(({ number }) => number),
      [2, 3, 4],
    )
    t.strictSame(
      await list({ after: 1, pageToken: next.nextPageToken }).then((r) => r.events.length),
      1,
    )
    t.strictSame(await list({ after: 5 }), { events: [], nextPageToken: '' })
  })

  await t.test('by filters, all of which have to be met', async (t) => {
    t.strictSame(await numbers({ type: 'token.created', actorId: firstId }), [5, 4, 3, 2])
    t.strictSame(await numbers({ actorId: 'system' }), [1])
    t.strictSame(await numbers({ subjectId: ids[1] ?? '' }), [3])
    t.strictSame(await numbers({ type: 'token.deleted', actorId: firstId }), [])
    t.strictSame(await numbers({ since: inSeconds(60) }), [])
    t.strictSame(await numbers({ since: inSeconds(-60), until: inSeconds(60), limit: 1 }), [5])
  })

  await t.test('one', async (t) => {
    const one = await events.getEvent({ number: '3' }, as(firstToken))
    t.match(one, { number: 3, subjectId: ids[1], hash: /^[0-9a-f]{64}$/, keyId: /^.{8}$/ })
    const next = await events.getEvent({ number: '4' }, as(firstToken))
    t.equal(next.previousHash, one.hash)
    await t.rejects(events.getEvent({ number: '99' }, as(firstToken)), {
      code: 'not_found',
      message: 'event 99 not found',
    })
    await t.rejects(events.getEvent({ number: '1.5' }, as(firstToken)), /must be a whole number/)
  })

  await t.test('is for those who may manage tokens', async (t) => {
    const bound = await create({ name: 'bound', namespaceKey: 'default' })
    const all = ListEventsRequest.fromPartial({})
    await t.rejects(events.listEvents(all), unauthenticated)
    await t.rejects(events.listEvents(all, as(bound.clientToken)), { code: 'permission_denied' })
    await t.rejects(events.getEvent({ number: '1' }, as(bound.clientToken)), {
      code: 'permission_denied',
    })
    await t.rejects(events.verifyEvents({ after: 0, limit: 0 }, as(bound.clientToken)), {
      code: 'permission_denied',
    })
  })

  await t.test('refuses what makes no sense', async (t) => {
    await t.rejects(list({ limit: 501 }), /limit/)
    await t.rejects(list({ after: 1.5 }), /after: must be a whole number/)
    await t.rejects(list({ type: 'a\0' }), /U\+0000/)
  })
})
