import { connect } from '@svc/client'
import t from 'tap'
import { unauthenticated } from '../support/errors.ts'
import { call } from '../support/http.ts'
import { startJwtIssuer } from '../support/jwt-issuer.ts'
import { startStack } from '../support/stack.ts'

t.test('JWTs', async (t) => {
  const ci = await startJwtIssuer(t, 'ci')
  const teams = await startJwtIssuer(t, 'teams')
  const stack = await startStack(t, {
    env: {
      ...ci.env,
      ...teams.env,
      SVC_AUTHENTICATION_METHODS_JWT_ISSUERS_TEAMS_NAMESPACE_CLAIM: 'team',
    },
  })
  const as = (authorization: string) => (method: string, path: string, body?: unknown) =>
    call(stack.urls[0], method, path, body, { authorization })
  await stack.api('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })

  await t.test('are accepted as they are, under both schemes in any case', async (t) => {
    const jwt = await ci.sign()
    for (const scheme of ['JWT', 'jwt', 'Bearer', 'BEARER']) {
      const answer = await as(`${scheme} ${jwt}`)('GET', '/api/v1/namespaces/default/flags')
      t.equal(answer.status, 200, scheme)
    }
  })

  await t.test('may change flags', async (t) => {
    const api = as(`JWT ${await ci.sign()}`)
    const flag = { key: 'by-jwt', name: 'By JWT', type: 'BOOLEAN_FLAG_TYPE' }
    t.equal((await api('POST', '/api/v1/namespaces/default/flags', flag)).status, 200)
  })

  await t.test('have no ticket, and their clients know the revision', async (t) => {
    const [url] = stack.urls
    const write = (name: string) =>
      stack.api('PUT', '/api/v1/namespaces/default/flags/by-jwt', { name })
    const before = (await write('before')).headers.get('x-svc-revision')
    const credential = { token: await ci.sign() }
    const flags = await connect({ url, mode: 'remote', credential, subject: { entityId: 'u1' } })
    t.teardown(() => flags.close())
    t.equal(`default:${flags.revision}`, before)
    const after = (await write('after')).headers.get('x-svc-revision') ?? ''
    await flags.waitFor(after)
    t.equal(`default:${flags.revision}`, after)
    await flags.setContext({ entityId: 'u2' })
    t.equal(`default:${flags.revision}`, after)
  })

  await t.test('have no record: self answers with what they say', async (t) => {
    const user = { email: 'ada@example.com', name: 'Ada', image: 'https://x/y.png', role: 'dev' }
    const { status, body } = await as(`JWT ${await ci.sign({ user })}`)('GET', '/auth/v1/self')
    t.equal(status, 200)
    t.match(body, {
      id: '',
      method: 'METHOD_JWT',
      metadata: {
        'io.svc.auth.jwt.issuer': ci.issuer,
        'io.svc.auth.jwt.sub': 'deployments',
        'io.svc.auth.jwt.email': 'ada@example.com',
        'io.svc.auth.jwt.name': 'Ada',
        'io.svc.auth.jwt.picture': 'https://x/y.png',
        'io.svc.auth.jwt.role': 'dev',
      },
    })
    for (const time of ['expiresAt', 'createdAt', 'updatedAt']) t.notHas(body, time)
  })

  await t.test('may be as long as 8 KiB, and no longer', async (t) => {
    const long = await ci.sign({ groups: 'g'.repeat(5800) })
    t.ok(long.length > 7900 && long.length <= 8192, String(long.length))
    for (const path of ['/auth/v1/self', '/api/v1/namespaces/default/flags']) {
      t.equal((await as(`JWT ${long}`)('GET', path)).status, 200, path)
    }
    const tooLong = await ci.sign({ groups: 'g'.repeat(6200) })
    t.ok(tooLong.length > 8192)
    t.equal((await as(`JWT ${tooLong}`)('GET', '/auth/v1/self')).status, 401)
  })

  await t.test('cannot be ended here, and say so', async (t) => {
    const answer = await as(`JWT ${await ci.sign()}`)('PUT', '/auth/v1/self/expire')
    t.equal(answer.status, 400)
    t.match(answer.body, {
      message: 'a JWT cannot be made to expire here: it is valid until its exp',
    })
  })

  await t.test('cannot manage tokens', async (t) => {
    const api = as(`Bearer ${await ci.sign()}`)
    const refusals = [
      await api('POST', '/auth/v1/method/token', { name: 'more' }),
      await api('GET', '/auth/v1/tokens'),
      await api('GET', '/auth/v1/tokens/0'),
      await api('DELETE', '/auth/v1/tokens/0'),
    ]
    for (const { status, body } of refusals) {
      t.equal(status, 403)
      t.match(body, { message: 'tokens cannot be managed with a credential of the method jwt' })
    }
  })

  await t.test('are bound to the namespace that the named claim says', async (t) => {
    const inShop = as(`JWT ${await teams.sign({ team: 'shop' })}`)
    t.equal((await inShop('GET', '/api/v1/namespaces/shop/flags')).status, 200)
    const elsewhere = await inShop('GET', '/api/v1/namespaces/default/flags')
    t.equal(elsewhere.status, 403)
    t.match(elsewhere.body, { message: 'token "deployments" is restricted to namespace "shop"' })
    const unbound = as(`JWT ${await teams.sign()}`)
    t.equal((await unbound('GET', '/api/v1/namespaces/shop/flags')).status, 401)
  })

  await t.test('are refused as every other bad credential is', async (t) => {
    const good = await ci.sign()
    const bad = [
      good.slice(0, -4),
      good.replace(/^[^.]*/, 'e30'),
      await ci.sign({ aud: 'others' }),
      await ci.sign({ sub: '' }),
      await ci.sign({ exp: 1 }).then((jwt) => `${jwt}x`),
    ]
    for (const scheme of ['JWT', 'Bearer']) {
      for (const jwt of bad) {
        const answer = await as(`${scheme} ${jwt}`)('GET', '/api/v1/namespaces/default/flags')
        t.equal(answer.status, 401)
        t.strictSame(answer.body, unauthenticated)
        t.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      }
    }
  })

  await t.test('start no session', async (t) => {
    const answer = await call(stack.urls[0], 'POST', '/auth/v1/session', { token: await ci.sign() })
    t.ok([400, 401, 403].includes(answer.status), String(answer.status))
    t.equal(answer.headers.get('set-cookie'), null)
  })

  await t.test('may not end the sessions of others', async (t) => {
    const api = as(`JWT ${await ci.sign()}`)
    t.equal((await api('GET', '/auth/v1/sessions')).status, 403)
    t.equal((await api('DELETE', '/auth/v1/sessions?all=true')).status, 403)
  })

  await t.test('are refused from their end on, however often they were accepted', async (t) => {
    const tolerance = 30
    const endsAt = Math.floor(Date.now() / 1000) + 5
    const api = as(`JWT ${await ci.sign({ exp: endsAt - tolerance })}`)
    const before: number[] = []
    const after: number[] = []
    // However slow the machine, some requests come after the end.
    const isEnough = (now: number) => now > endsAt + (after.length > 5 ? 1 : 10)
    for (let askedAt = 0; !isEnough(askedAt); ) {
      askedAt = Date.now() / 1000
      const { status } = await api('GET', '/api/v1/namespaces/default/flags')
      // Between the two the way of the request decides, and the clock of the database, which is read
      // to a quarter of a second.
      if (Date.now() / 1000 < endsAt - 1) before.push(status)
      if (askedAt > endsAt + 0.3) after.push(status)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    t.ok(before.length > 5 && before.every((status) => status === 200), `${before}`)
    t.ok(after.length > 5 && after.every((status) => status === 401), `${after}`)
  })

  await t.test('are no cookies', async (t) => {
    const cookie = `svc_client_token=${await ci.sign()}`
    const answer = await call(stack.urls[0], 'GET', '/auth/v1/self', undefined, { cookie })
    t.equal(answer.status, 401)
  })
})

t.test('without the method, a JWT is no credential', async (t) => {
  const ci = await startJwtIssuer(t, 'ci')
  const stack = await startStack(t)
  for (const scheme of ['JWT', 'Bearer']) {
    const headers = { authorization: `${scheme} ${await ci.sign()}` }
    const answer = await call(stack.urls[0], 'GET', '/auth/v1/self', undefined, headers)
    t.equal(answer.status, 401, scheme)
    t.strictSame(answer.body, unauthenticated)
  }
})
