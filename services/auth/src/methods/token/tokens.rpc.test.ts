import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import t from 'tap'
import {
  as,
  firstToken,
  openAuth,
  openAuthDatabase,
  unauthenticated,
} from '../../auth.test.support.ts'

const request = (fields: Partial<CreateTokenRequest> = {}) =>
  CreateTokenRequest.fromPartial({ name: 'ci', ...fields })

t.test('createToken', async (t) => {
  const { tokens, identities, authentications, create, db } = await openAuth(t)

  await t.test('answers with the token and its record, as a later get does', async (t) => {
    const expiresAt = { seconds: 1_893_456_000, nanos: 123_456_789 }
    const wanted = request({ description: 'pipeline', namespaceKey: 'production', expiresAt })
    const { clientToken, authentication } = await tokens.createToken(wanted, as(firstToken))
    t.match(clientToken, /^svc_[A-Za-z0-9_-]{43}_[0-9A-Za-z]{6}$/)
    t.match(authentication, {
      id: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      method: 'METHOD_TOKEN',
      // What PostgreSQL does not keep is cut, not rounded.
      expiresAt: { seconds: 1_893_456_000, nanos: 123_456_000 },
      metadata: {
        'io.svc.auth.token.name': 'ci',
        'io.svc.auth.token.description': 'pipeline',
        'io.svc.auth.token.namespace': 'production',
      },
    })
    const id = authentication?.id ?? ''
    t.strictSame(await authentications.getAuthentication({ id }, as(firstToken)), authentication)
  })

  await t.test('keeps the hash of the token and nothing of the token itself', async (t) => {
    const { clientToken, id } = await create({ name: 'secret' })
    const [row] = await db.query<{ row: string; hash: string }>(
      `SELECT a::text AS row, encode(token_hash, 'hex') AS hash
         FROM auth.authentications a WHERE id = $1`,
      [id],
    )
    t.equal(row?.hash.length, 64)
    t.notMatch(row?.row, clientToken.slice(4, 47))
  })

  await t.test('a token that has expired at its birth is made, and refused', async (t) => {
    const { clientToken } = await create({ expiration: { seconds: 1, nanos: 0 } })
    await t.rejects(identities.authenticate({ clientToken }), unauthenticated)
  })

  await t.test('names need not be unique', async (t) => {
    t.not((await create({ name: 'twin' })).id, (await create({ name: 'twin' })).id)
  })

  await t.test('a bad request is explained only to callers that may create tokens', async (t) => {
    const bad = request({ name: '' })
    await t.rejects(tokens.createToken(bad, as(firstToken)), { code: 'invalid_argument' })
    await t.rejects(tokens.createToken(bad), unauthenticated)
    const { clientToken } = await create({ name: 'bound', namespaceKey: 'shop' })
    await t.rejects(tokens.createToken(bad, as(clientToken)), {
      code: 'permission_denied',
      reason: 'namespace_restricted',
      message: 'token "bound" is restricted to namespace "shop"',
    })
  })
})

t.test('where none is required and none exists, an anonymous caller may create one', async (t) => {
  const env = { SVC_AUTHENTICATION_REQUIRED: 'false' }
  const { db, tokens, authentications } = await openAuth(t, env)
  await db.query('DELETE FROM auth.authentications')
  const all = { method: 'METHOD_NONE', limit: 0, pageToken: '' } as const
  const none = { authentications: [], nextPageToken: '' }
  t.strictSame(await authentications.listAuthentications(all), none)
  await t.rejects(tokens.createToken(request(), as('wrong-credentials-are-still-refused')), {
    code: 'unauthenticated',
  })
  await t.rejects(authentications.getSelf({}), unauthenticated)
  const { clientToken } = await tokens.createToken(request())
  await t.rejects(tokens.createToken(request()), unauthenticated)
  await t.resolves(tokens.createToken(request(), as(clientToken)))
})

t.test('where a credential is required, no token does not mean anonymous access', async (t) => {
  const { tokens, db } = await openAuth(t)
  await db.query('DELETE FROM auth.authentications')
  await t.rejects(tokens.createToken(request()), unauthenticated)
})

t.test('where static tokens are not enabled, none is made and old ones stay bound', async (t) => {
  const db = await openAuthDatabase(t)
  const first = await openAuth(t, {}, db)
  const bound = await first.create({ name: 'bound', namespaceKey: 'shop' })
  await first.close()
  const env = {
    SVC_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'false',
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: '',
  }
  const { tokens, authentications } = await openAuth(t, env, db)
  await t.rejects(tokens.createToken(request(), as(firstToken)))
  const [{ count } = {}] = await db.query<{ count?: string }>(
    'SELECT count(*) FROM auth.authentications',
  )
  t.equal(Number(count), 2)
  await t.rejects(authentications.getSelf({}, as(bound.clientToken)), { code: 'permission_denied' })
})
