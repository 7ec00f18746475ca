import { writeFile } from 'node:fs/promises'
import t from 'tap'
import { createAuthority } from '../support/certificates.ts'
import { unauthenticated } from '../support/errors.ts'
import { call } from '../support/http.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { startStack } from '../support/stack.ts'
import { recordedAnswers } from '../support/token-review-answers.ts'

const path = '/auth/v1/method/orchestrator/serviceaccount'
const flags = ['flags']
const setting = (name: string) => `SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_${name}`

interface Login {
  readonly clientToken: string
  readonly authentication: {
    readonly id: string
    readonly expiresAt: string
    readonly metadata: Readonly<Record<string, string>>
  }
}

t.test('a workload exchanges its token', async (t) => {
  const api = await startOrchestratorApi(t)
  const env = {
    ...api.env,
    [setting('SERVICE_ACCOUNTS')]: 'shop:client bank:*=inside',
  }
  const stack = await startStack(t, { env })
  const [url] = stack.urls
  for (const key of ['inside', 'outside']) {
    await stack.api('POST', '/api/v1/namespaces', { key, name: key })
  }
  const exchange = (serviceAccountToken: unknown, at = path) =>
    call(url, 'POST', at, { serviceAccountToken })
  const login = async (account: string, options: object = {}) => {
    const answer = await exchange(api.tokenOf(account, { audiences: flags, ...options }))
    t.equal(answer.status, 200, answer.text)
    return answer.body as Login
  }
  const bearer = (clientToken: string) => ({ authorization: `Bearer ${clientToken}` })
  const secondsLeft = ({ authentication }: Login) =>
    (Date.parse(authentication.expiresAt) - Date.now()) / 1000

  await t.test('and gets one that lasts as long, and has its owner', async (t) => {
    const pod = { name: 'client-7d4f', uid: '0b1c2d3e-0000-4000-8000-000000000001' }
    const token = api.tokenOf('shop:client', { audiences: flags, pod, seconds: 900 })
    const { body } = await exchange(token)
    const { clientToken, authentication } = body as Login
    t.match(clientToken, /^svc_/)
    t.match(authentication, {
      method: 'METHOD_ORCHESTRATOR',
      metadata: {
        'io.svc.auth.orchestrator.namespace': 'shop',
        'io.svc.auth.orchestrator.pod.name': pod.name,
        'io.svc.auth.orchestrator.pod.uid': pod.uid,
        'io.svc.auth.orchestrator.serviceaccount.name': 'client',
        'io.svc.auth.orchestrator.serviceaccount.uid': /^[0-9a-f-]{36}$/,
      },
    })
    t.ok(Math.abs(secondsLeft(body as Login) - 900) < 10)
    const self = await call(url, 'GET', '/auth/v1/self', undefined, bearer(clientToken))
    t.match(self, {
      status: 200,
      body: { id: authentication.id, metadata: authentication.metadata },
    })
    const list = await call(url, 'GET', '/api/v1/namespaces', undefined, bearer(clientToken))
    t.equal(list.status, 200)
  })

  await t.test('at the older path, and with the field spelled either way', async (t) => {
    const token = api.tokenOf('shop:client', { audiences: flags })
    const alias = '/auth/v1/method/kubernetes/serviceaccount'
    t.equal((await exchange(token, alias)).status, 200)
    const body = { service_account_token: token }
    t.equal((await call(url, 'POST', alias, body)).status, 200)
    t.equal((await call(url, 'POST', path, body)).status, 200)
  })

  await t.test('and gets one for an hour at most', async (t) => {
    const left = secondsLeft(await login('shop:client', { seconds: 365 * 86_400 }))
    t.ok(left > 3590 && left < 3610, `${left} s`)
  })

  await t.test('whose five facts are there also without a pod', async (t) => {
    const { authentication } = await login('shop:client')
    t.equal(Object.keys(authentication.metadata).length, 5)
    t.equal(authentication.metadata['io.svc.auth.orchestrator.pod.name'], '')
  })

  await t.test('and is bound to the namespace that its account is bound to', async (t) => {
    const { clientToken } = await login('bank:teller')
    const ask = (at: string) => call(url, 'GET', at, undefined, bearer(clientToken))
    t.equal((await ask('/api/v1/namespaces/inside/flags')).status, 200)
    const outside = await ask('/api/v1/namespaces/outside/flags')
    t.match(outside, {
      status: 403,
      body: { message: 'token "bank:teller" is restricted to namespace "inside"' },
    })
    t.equal((await ask('/api/v1/namespaces')).status, 403)
    t.equal((await ask('/auth/v1/tokens')).status, 403)
  })

  await t.test('but not when its account is not listed', async (t) => {
    const refused = await exchange(api.tokenOf('shop:other', { audiences: flags }))
    t.equal(refused.status, 403)
    t.strictSame(refused.body, {
      code: 7,
      message: 'service account "shop:other" may not log in here',
      details: [],
    })
  })

  await t.test('but not with the token that every pod has for the cluster itself', async (t) => {
    t.equal((await exchange(api.tokenOf('shop:client'))).status, 401)
    t.equal((await exchange(api.reviewerToken)).status, 401)
  })

  await t.test('but not with an expired or altered one, or one of a past account', async (t) => {
    const token = api.tokenOf('shop:client', { audiences: flags })
    const bad = [
      api.tokenOf('shop:client', { audiences: flags, seconds: -1 }),
      `${token.slice(0, -8)}AAAAAAAA`,
      token.replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url')),
      token.replace(/\.[^.]+\./, (payload) => `${payload.slice(0, -3)}AA.`),
    ]
    for (const one of bad) t.equal((await exchange(one)).status, 401)
    const past = api.tokenOf('bank:past', { audiences: flags })
    api.deleteAccount('bank:past')
    t.equal((await exchange(past)).status, 401)
    api.tokenOf('bank:past')
    t.equal((await exchange(past)).status, 401, 'nor of one that was made anew')
  })

  await t.test('but not with one that has expired while the API server accepts it', async (t) => {
    const [vouching] = recordedAnswers
    api.fault = (_request, response) => response.writeHead(201).end(JSON.stringify(vouching?.body))
    for (const [seconds, status] of [
      [60, 200],
      [-1, 401],
    ] as const) {
      const token = api.tokenOf('shop:client', { audiences: flags, seconds })
      t.equal((await exchange(token)).status, status)
    }
    api.fault = undefined
  })

  await t.test('and what is no such token never reaches the API server', async (t) => {
    const before = api.calls
    const long = `e30.${'A'.repeat(8192)}.AA`
    for (const none of ['abc', 'a.b.c', stack.token, long, 'e30.e30.e30', '../../x.y.z']) {
      const answer = await exchange(none)
      t.strictSame([answer.status, answer.body], [401, unauthenticated])
    }
    for (const nothing of ['', null, undefined]) t.equal((await exchange(nothing)).status, 400)
    t.equal((await exchange(7)).status, 400)
    t.equal(api.calls, before)
  })

  await t.test('and the API server has to prove who it is', async (t) => {
    const caFile = api.env[setting('CA_FILE')] ?? ''
    await writeFile(caFile, (await createAuthority()).cert)
    const before = api.calls
    t.equal((await exchange(api.tokenOf('shop:client', { audiences: flags }))).status, 503)
    t.equal(api.calls, before)
    await writeFile(caFile, api.ca)
    await login('shop:client')
  })

  await t.test('and the token of the auth service is read anew each time', async (t) => {
    const tokenFile = api.env[setting('TOKEN_FILE')] ?? ''
    await writeFile(tokenFile, 'junk')
    t.equal((await exchange(api.tokenOf('shop:client', { audiences: flags }))).status, 503)
    await writeFile(tokenFile, `${api.reviewerToken}\n`)
    await login('shop:client')
  })

  await t.test('which login pages get, and no more', async (t) => {
    const { methods } = (await call(url, 'GET', '/auth/v1/method')).body as { methods: object[] }
    t.strictSame(methods[3], {
      method: 'METHOD_ORCHESTRATOR',
      enabled: true,
      sessionCompatible: false,
    })
  })
})
