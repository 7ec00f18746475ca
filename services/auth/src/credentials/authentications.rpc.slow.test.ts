import { Method } from '@svc/proto/auth/v1/authentications'
import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import t from 'tap'
import {
  as,
  firstToken,
  inSeconds,
  openAuth,
  type TestAuth,
  unauthenticated,
} from '../auth.test.support.ts'

const page = (limit = 0, pageToken = '', method: Method = Method.METHOD_NONE) => ({
  limit,
  pageToken,
  method,
})

t.test('listAuthentications', async (t) => {
  const { authentications, create, db } = await openAuth(t)
  const ids: string[] = []
  for (let i = 0; i < 129; i += 1) ids.push((await create({ name: `token ${i}` })).id)
  const list = (limit?: number, pageToken?: string, method?: Method) =>
    authentications.listAuthentications(page(limit, pageToken, method), as(firstToken))

  await t.test('gives 25 by default, and never more than 100', async (t) => {
    t.equal((await list()).authentications.length, 25)
    t.equal((await list(7)).authentications.length, 7)
    t.equal((await list(1_000_000)).authentications.length, 100)
    await t.rejects(list(-1), { code: 'invalid_argument' })
  })

  await t.test('goes through all of them in the order of creation, page by page', async (t) => {
    const seen: string[] = []
    for (let token = ''; ; ) {
      const { authentications, nextPageToken } = await list(13, token)
      seen.push(...authentications.map(({ id }) => id))
      token = nextPageToken
      if (token === '') break
    }
    t.equal(seen.length, 130)
    t.strictSame(seen.slice(1), ids)
  })

  await t.test('a last page that is exactly full has no next one', async (t) => {
    const { nextPageToken } = await list(100)
    const last = await list(30, nextPageToken)
    t.equal(last.authentications.length, 30)
    t.equal(last.nextPageToken, '')
  })

  await t.test('deletions between two pages neither repeat nor skip anything', async (t) => {
    const first = await list(50)
    for (const { id } of first.authentications.slice(40)) {
      await authentications.deleteAuthentication({ id }, as(firstToken))
    }
    const second = await list(100, first.nextPageToken)
    t.strictSame(
      second.authentications.map(({ id }) => id),
      ids.slice(49),
    )
  })

  await t.test('takes a page token that is none for the beginning', async (t) => {
    t.strictSame(await list(2, 'Hello World'), await list(2))
  })

  await t.test('gives those of one method only, expired ones included', async (t) => {
    await db.query(
      `INSERT INTO auth.authentications (method, token_hash, expires_at)
       VALUES ('METHOD_OIDC', sha256('a'), now() - interval '1 day')`,
    )
    const { authentications } = await list(0, '', Method.METHOD_OIDC)
    t.strictSame(
      authentications.map(({ method }) => method),
      ['METHOD_OIDC'],
    )
    t.strictSame((await list(0, '', Method.METHOD_CLOUD)).authentications, [])
  })
})

t.test('getAuthentication says which one it did not find', async (t) => {
  const { authentications } = await openAuth(t)
  for (const id of ['nope', '', 'a\0b', "'; --"]) {
    await t.rejects(authentications.getAuthentication({ id }, as(firstToken)), {
      code: 'not_found',
      message: `authentication "${id}" not found`,
    })
  }
})

t.test('deleteAuthentication', async (t) => {
  const { authentications, identities, create } = await openAuth(t)
  const remove = (id: string) => authentications.deleteAuthentication({ id }, as(firstToken))

  await t.test('the token is refused from the answer on, however warm', async (t) => {
    const { clientToken, id } = await create({})
    for (let i = 0; i < 20; i += 1) await identities.authenticate({ clientToken })
    t.strictSame(await remove(id), {})
    await t.rejects(identities.authenticate({ clientToken }), unauthenticated)
  })

  await t.test('is no error where there is nothing to delete', async (t) => {
    for (const id of ['nope', '', 'a\0b']) t.strictSame(await remove(id), {})
  })

  await t.test('a new token of an old name does not revive the old one', async (t) => {
    const old = await create({ name: 'phoenix' })
    await remove(old.id)
    const next = await create({ name: 'phoenix' })
    await t.rejects(identities.authenticate(old), { code: 'unauthenticated' })
    await t.resolves(identities.authenticate(next))
  })
})

t.test('getSelf gives the record of the token that the call carries', async (t) => {
  const { authentications, create } = await openAuth(t)
  const { clientToken, id } = await create({ name: 'me' })
  const self = await authentications.getSelf({}, as(clientToken))
  t.strictSame(self, await authentications.getAuthentication({ id }, as(firstToken)))
})

t.test('expireSelf', async (t) => {
  const service = await openAuth(t)
  const { authentications, identities, create } = service

  await t.test('ends the token at once when no time is given', async (t) => {
    const { clientToken, id } = await create({})
    await identities.authenticate({ clientToken })
    t.strictSame(await authentications.expireSelf({}, as(clientToken)), {})
    await t.rejects(identities.authenticate({ clientToken }), unauthenticated)
    const record = await authentications.getAuthentication({ id }, as(firstToken))
    t.ok(record.expiresAt)
    t.not(record.updatedAt, record.createdAt)
  })

  await t.test('sets and shortens an expiry, and never extends one', async (t) => {
    const { clientToken } = await create({})
    const expire = (expiresAt: { seconds: number; nanos: number }) =>
      authentications.expireSelf({ expiresAt }, as(clientToken))
    await t.resolves(expire(inSeconds(1000)))
    await t.rejects(expire(inSeconds(2000)), {
      code: 'invalid_argument',
      message: 'invalid field expiresAt: must not be later than the present expiry',
    })
    const shorter = inSeconds(500)
    await t.resolves(expire(shorter))
    await t.resolves(expire(shorter), 'the same again changes nothing')
    t.strictSame((await authentications.getSelf({}, as(clientToken))).expiresAt, shorter)
    const { expiresInMs = 0 } = await identities.authenticate({ clientToken })
    t.ok(expiresInMs > 480_000 && expiresInMs <= 500_000, String(expiresInMs))
    await t.rejects(expire({ seconds: 2 ** 40, nanos: 0 }), { code: 'invalid_argument' })
    await t.resolves(expire({ seconds: 5, nanos: 0 }), 'a time in the past is now')
    await t.rejects(expire(inSeconds(1)), { code: 'unauthenticated' })
  })

  await t.test('a cached token ends at the time that was set, not later', async (t) => {
    const { clientToken } = await create({})
    await identities.authenticate({ clientToken })
    const at = Date.now() + 700
    const expiresAt = { seconds: Math.floor(at / 1000), nanos: (at % 1000) * 1e6 }
    await authentications.expireSelf({ expiresAt }, as(clientToken))
    await t.resolves(identities.authenticate({ clientToken }), 'it is still good before')
    while (Date.now() < at + 5) await identities.authenticate({ clientToken }).catch(() => {})
    await t.rejects(identities.authenticate({ clientToken }), unauthenticated)
  })
})

t.test('who may manage tokens', async (t) => {
  const service = await openAuth(t)
  const { clientToken: bound, id } = await service.create({ name: 'bound', namespaceKey: 'shop' })
  const operations = operationsOf(service, id)

  await t.test('not those with a token that is bound to a namespace', async (t) => {
    for (const [name, operation] of operations) {
      await t.rejects(
        operation(as(bound)),
        { code: 'permission_denied', message: 'token "bound" is restricted to namespace "shop"' },
        name,
      )
    }
  })

  await t.test('not those without a valid credential, who all get the same answer', async (t) => {
    const headers = [
      ...['', firstToken, `Basic ${firstToken}`, 'Bearer', 'Bearer wrong-token-0123456789'],
      ...[`Bearer  ${firstToken}`, `Bearer ${firstToken} x`, `Bearer ${firstToken},x`],
    ]
    for (const [name, operation] of operations) {
      for (const authorization of [undefined, ...headers]) {
        const metadata: Record<string, string> =
          authorization === undefined ? {} : { authorization }
        await t.rejects(operation({ metadata }), unauthenticated, `${name} with ${authorization}`)
      }
    }
  })

  await t.test('those with any other token, in whatever case the scheme is written', async (t) => {
    const { clientToken } = await service.create({})
    for (const [name, operation] of operations) {
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const metadata = { authorization: `${scheme} ${clientToken}` }
        if (name !== 'expireSelf') await t.resolves(operation({ metadata }), `${name} ${scheme}`)
      }
    }
  })
})

type Call = { metadata: Record<string, string> }

function operationsOf({ authentications, tokens }: TestAuth, id: string) {
  const request = CreateTokenRequest.fromPartial({ name: 'x' })
  return [
    ['create', (call: Call) => tokens.createToken(request, call)],
    ['rotate', (call: Call) => tokens.rotateToken({ id, overlap: '' }, call)],
    ['list', (call: Call) => authentications.listAuthentications(page(), call)],
    ['get', (call: Call) => authentications.getAuthentication({ id }, call)],
    ['getSelf', (call: Call) => authentications.getSelf({}, call)],
    ['expireSelf', (call: Call) => authentications.expireSelf({}, call)],
    ['delete', (call: Call) => authentications.deleteAuthentication({ id: 'nope' }, call)],
  ] as const
}
