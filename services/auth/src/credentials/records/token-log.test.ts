import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import t from 'tap'
import {
  as,
  firstToken,
  openAuth,
  openAuthDatabase,
  type TestAuth,
} from '../../auth.test.support.ts'
import { hashToken } from './token.ts'

/** What was logged since, without what every line has. */
const linesSince = ({ lines }: TestAuth, start: number) =>
  lines.slice(start).map(({ time, pid, hostname, ...line }) => line)

t.test('the creation and end of tokens are logged, with their callers', async (t) => {
  const service = await openAuth(t)
  const { authentications, create, lines } = service
  const by = (await authentications.getSelf({}, as(firstToken))).id
  const start = lines.length

  const bound = await create({ name: 'bound', description: 'd', namespaceKey: 'shop' })
  const free = await create({ name: 'free' })
  const expiresAt = { seconds: 1_893_456_000, nanos: 0 }
  await authentications.expireSelf({ expiresAt }, as(free.clientToken))
  await authentications.deleteAuthentication({ id: bound.id }, as(free.clientToken))
  await authentications.deleteAuthentication({ id: free.id }, as(firstToken))

  const line = (msg: string, token: { readonly id: string }, rest: object) => ({
    level: 30,
    msg,
    tokenId: token.id,
    ...rest,
  })
  const expires = '2030-01-01T00:00:00Z'
  t.strictSame(linesSince(service, start), [
    line('created a token', bound, { name: 'bound', namespace: 'shop', by }),
    line('created a token', free, { name: 'free', by }),
    line('made a token expire', free, { name: 'free', by: free.id, expires }),
    line('deleted a token', bound, { name: 'bound', namespace: 'shop', by: free.id }),
    line('deleted a token', free, { name: 'free', by }),
  ])
  const text = JSON.stringify(lines.slice(start))
  for (const token of [firstToken, bound.clientToken, free.clientToken]) {
    t.notMatch(text, token)
    t.notMatch(text, hashToken(token))
  }
})

t.test('what was not done is not logged', async (t) => {
  const service = await openAuth(t)
  const { authentications, tokens, lines } = service
  const start = lines.length
  const secret = 'a-token-that-does-not-exist'
  const nameless = CreateTokenRequest.fromPartial({ name: '' })
  const late = { seconds: 2 ** 40, nanos: 0 }
  await authentications.deleteAuthentication({ id: 'nope' }, as(firstToken))
  await t.rejects(authentications.deleteAuthentication({ id: 'nope' }, as(secret)))
  await t.rejects(authentications.expireSelf({ expiresAt: late }, as(firstToken)))
  await t.rejects(tokens.createToken(nameless, as(firstToken)))
  t.strictSame(linesSince(service, start), [])
})

t.test('the first token may have no creator', async (t) => {
  const db = await openAuthDatabase(t)
  const service = await openAuth(t, { SVC_AUTHENTICATION_REQUIRED: 'false' }, db)
  await db.query('DELETE FROM auth.authentications')
  const start = service.lines.length
  await service.tokens.createToken(CreateTokenRequest.fromPartial({ name: 'ci' }))
  t.match(linesSince(service, start), [{ msg: 'created a token', by: 'anonymous' }])
})
