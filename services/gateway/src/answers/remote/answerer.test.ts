import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import type { AccessRule } from '@svc/contract'
import { bound, contract } from '@svc/contract/testing'
import { AuthenticationServiceDefinition } from '@svc/proto/auth/v1/authentications'
import { Identity } from '@svc/proto/auth/v1/identities'
import { Flag, FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import { type CallContext, RpcChannel, RpcServer, unprotected } from '@svc/rpc'
import { AppError, notFound, preconditionFailed } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { openEdge } from '../../http/edge.ts'
import { RefusalCounts } from '../../identity/refusal-counts.ts'
import { RefusalLog } from '../../identity/refusal-log.ts'
import { Uses } from '../../identity/uses.ts'
import { mount, routesOf } from '../../operations/mount.ts'
import { RequestTraces } from '../../operations/request-traces.ts'
import type { Replica } from '../../replica/replica.ts'
import { remoteAnswerer } from './answerer.ts'
import { callServices } from './call.ts'
import { MessageThread } from './message-thread.ts'

const log = pino({ level: 'silent' })

/** Requests and their calls, or the methods allowed instead; paths with their status, `ORIGIN` is the server. */
const fixture: {
  readonly routes: readonly [InjectOptions['method'], path: string, name: string, request: object][]
  readonly allowed: readonly [InjectOptions['method'], path: string, allow: string][]
  readonly spellings: readonly [path: string, status: number][]
} = JSON.parse(
  readFileSync(new URL('../../../../../test/fixtures/remote-routes.json', import.meta.url), 'utf8'),
)

type Test = Pick<typeof t, 'teardown'>

interface Seen {
  readonly method: string
  readonly request: object
  readonly ifMatch: string | undefined
}

/** The services that the tests call, over gRPC: they note what they are asked, and answer little. */
async function startServices(t: Test) {
  const seen: Seen[] = []
  const handlersOf = (service: {
    methods: Record<string, { name: string; responseType: object }>
  }) =>
    Object.fromEntries(
      Object.entries(service.methods).map(([key, { name, responseType }]) => [
        key,
        async (request: object, context: CallContext) => {
          seen.push({ method: name, request, ifMatch: context.get('svc-if-match') })
          if ('key' in request && request.key === 'missing') {
            throw notFound('flag', 'flag "default/missing" not found')
          }
          if ('key' in request && request.key === 'broken') throw new Error('secret')
          if (name.startsWith('Update')) context.setTrailer('svc-revision', 'default:7')
          context.setTrailer('svc-etag', '"default:7"')
          if ('key' in request && request.key === 'moved') {
            throw preconditionFailed('revision_mismatch', 'it is at revision 7, not 6')
          }
          if ('key' in request && request.key === 'closed') {
            throw new AppError('failed_precondition', 'closed', 'it is closed')
          }
          const type = responseType as { fromPartial(message: object): object }
          return type.fromPartial({ ...request, rollout: undefined })
        },
      ]),
    )
  const server = new RpcServer({ log, protection: unprotected })
  for (const service of [
    FlagServiceDefinition,
    NamespaceServiceDefinition,
    RuleServiceDefinition,
    RolloutServiceDefinition,
    AuthenticationServiceDefinition,
  ]) {
    server.add(service, handlersOf(service) as never)
  }
  const port = await server.listen('127.0.0.1:0')
  const channel = new RpcChannel(`127.0.0.1:${port}`, { name: 'the resource service' })
  t.teardown(async () => {
    channel.close()
    await server.close()
  })
  return { seen, channel, stop: () => server.close() }
}

/** A stream is answered by the gateway itself. */
const operations = contract.operations.filter(({ isStream }) => !isStream)

async function start(t: Test) {
  const { seen, channel, stop } = await startServices(t)
  let identified: AccessRule | undefined
  let namespaceKeys: readonly string[] | undefined
  const guard = {
    /** Refuses every caller, before anything is read. */
    refusal: undefined as AppError | undefined,
    caller: undefined as Identity | undefined,
  }
  const app = openEdge()
  app.addHook('onSend', async ({ exchange }) => {
    namespaceKeys ??= exchange.namespaceKeys
  })
  /** What ends the wait of each request for a revision. */
  const waits: (() => void)[] = []
  const replica = {
    isCurrent: false,
    revisionOf: () => 0,
    waitFor: () => new Promise((resolve) => waits.push(() => resolve(false))),
  } as unknown as Replica
  const services = callServices({ auth: channel, resource: channel }, false, () => '/')
  const messages = new MessageThread(log)
  t.teardown(() => messages.close())
  const answererFor = remoteAnswerer({ replica, services, messages })
  mount(app, operations, {
    log,
    replica,
    uses: new Uses(async () => {}),
    refusals: new RefusalLog(log, new RefusalCounts(async () => {})),
    identifierFor:
      ({ access }) =>
      () => {
        identified = access
        if (guard.refusal !== undefined) throw guard.refusal
        return guard.caller
      },
    loginGuard: () => {},
    traces: new RequestTraces(0),
    answererFor: () => answererFor,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const ask = async (
    method: InjectOptions['method'],
    path: string,
    payload?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    seen.length = 0
    identified = undefined
    namespaceKeys = undefined
    const answer = await app.inject({
      method: method ?? 'GET',
      url: path,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    const { statusCode: status } = answer
    return { answer, status, seen: seen[0], identified, namespaceKeys }
  }
  return { url, ask, guard, stop, waits }
}

t.test('a request', async (t) => {
  const { ask, guard } = await start(t)

  await t.test('becomes a call, and its answer comes back', async (t) => {
    const metadata = { team: ['a', { b: null }] }
    const { answer, seen, identified, namespaceKeys } = await ask(
      'POST',
      '/api/v1/namespaces/prod/flags',
      {
        key: 'checkout',
        name: 'Checkout',
        type: 'BOOLEAN_FLAG_TYPE',
        metadata,
      },
    )
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['content-type'], 'application/json')
    t.match(seen, {
      method: 'CreateFlag',
      request: { namespaceKey: 'prod', key: 'checkout', type: 'BOOLEAN_FLAG_TYPE', metadata },
    })
    t.strictSame(namespaceKeys, ['prod'])
    t.match(identified, { resource: 'FLAG', action: 'CREATE' })
    t.strictSame(answer.json(), {
      key: 'checkout',
      name: 'Checkout',
      description: '',
      enabled: false,
      variants: [],
      namespaceKey: 'prod',
      type: 'BOOLEAN_FLAG_TYPE',
      metadata,
    })
    t.ok(Flag.fromPartial(answer.json()))
  })

  await t.test('shows the service the namespace that was authorized', async (t) => {
    const table: [path: string, namespaceKey: string][] = [
      ['/api/v1/flags/a', 'default'],
      ['/api/v1/flags/a?namespaceKey=', 'default'],
      ['/api/v1/flags/a?namespace_key=prod', 'prod'],
      ['/api/v1/namespaces/prod/flags/a', 'prod'],
      ['/api/v1/namespaces//flags/a', 'default'],
      ['/api/v1/namespaces/p%72od/flags/a', 'prod'],
      ['/api/v1/n%61mespaces/prod/flags/a', 'prod'],
    ]
    for (const [path, namespaceKey] of table) {
      const { seen, namespaceKeys } = await ask('GET', path)
      t.strictSame(namespaceKeys, [namespaceKey], path)
      t.match(seen, { method: 'GetFlag', request: { namespaceKey, key: 'a' } }, path)
    }
    const { seen, namespaceKeys } = await ask('GET', '/api/v1/namespaces/prod')
    t.strictSame(namespaceKeys, ['prod'])
    t.match(seen, { method: 'GetNamespace', request: { key: 'prod' } })
    t.equal((await ask('GET', '/api/v1/namespaces')).namespaceKeys, undefined)
  })

  await t.test('is identified first, decoded next, then authorized and called last', async (t) => {
    guard.refusal = new AppError('unauthenticated', 'no', 'no')
    t.equal((await ask('POST', '/api/v1/flags', '{"key":')).status, 401)
    guard.refusal = undefined
    guard.caller = Identity.fromPartial({ name: 'ci', namespaceKey: 'other' })
    const malformed = await ask('POST', '/api/v1/flags', '{"key":')
    t.strictSame(
      [malformed.status, malformed.namespaceKeys, malformed.seen],
      [400, undefined, undefined],
    )
    const wrong = await ask('POST', '/api/v1/flags', { key: 1 })
    t.strictSame([wrong.status, wrong.namespaceKeys, wrong.seen], [400, undefined, undefined])
    const namespace = await ask('GET', '/api/v1/namespaces/a%2fb/flags')
    t.strictSame([namespace.status, namespace.namespaceKeys], [400, undefined])
    const refused = await ask('POST', '/api/v1/flags', { key: 'missing' })
    t.strictSame([refused.status, refused.seen], [403, undefined])
    guard.caller = undefined
    t.equal((await ask('POST', '/api/v1/flags', { key: 'missing' })).status, 404)
  })

  await t.test('need not bring what is not read', async (t) => {
    const expire = await ask('PUT', '/auth/v1/self/expire?expiresAt=', '{"garbage')
    t.match(expire.seen, { method: 'ExpireSelf', request: { expiresAt: undefined } })
    t.equal(expire.answer.body, '{}')
    const remove = await ask('DELETE', '/api/v1/flags/a', 'garbage')
    t.match(remove.seen, { method: 'DeleteFlag', request: { namespaceKey: 'default', key: 'a' } })
    t.equal(remove.answer.body, '{}')
  })

  await t.test('is answered with the head only when it asks for that', async (t) => {
    const { answer, seen } = await ask('HEAD', '/api/v1/flags/a')
    t.equal(seen?.method, 'GetFlag')
    t.strictSame([answer.statusCode, answer.body], [200, ''])
  })

  await t.test('may ask for an indented answer', async (t) => {
    for (const query of ['pretty', 'pretty=', 'pretty=false', 'limit=1&pretty=true']) {
      const { answer } = await ask('GET', `/api/v1/flags?${query}`)
      t.equal(answer.body, '{\n  "flags": [],\n  "nextPageToken": "",\n  "totalCount": 0\n}', query)
    }
  })

  await t.test('gets the revision that it made', async (t) => {
    t.equal((await ask('PUT', '/api/v1/flags/a', {})).answer.headers['x-svc-revision'], 'default:7')
    t.equal((await ask('GET', '/api/v1/flags/a')).answer.headers['x-svc-revision'], undefined)
  })

  await t.test('gets the tag of what it read or wrote, and sends the tags to match', async (t) => {
    const ifMatch = 'W/"default:6",\t"default:7"'
    for (const method of ['GET', 'PUT'] as const) {
      const { answer, seen } = await ask(method, '/api/v1/flags/a', undefined, {
        'if-match': ifMatch,
      })
      t.equal(answer.headers.etag, '"default:7"')
      t.equal(seen?.ifMatch, method === 'PUT' ? ifMatch.replace('\t', ' ') : undefined)
    }
    const refused = await ask('PUT', '/api/v1/flags/a', {}, { 'if-match': '"caf\u00e9"' })
    t.strictSame([refused.status, refused.seen], [400, undefined])
    t.match(refused.answer.json(), { code: 3, message: /If-Match/ })
  })

  await t.test('whose precondition fails gets 412, and the present state', async (t) => {
    const { answer, status } = await ask('PUT', '/api/v1/flags/moved', {})
    t.strictSame(
      [status, answer.json()],
      [412, { code: 9, message: 'it is at revision 7, not 6', details: [] }],
    )
    t.match(answer.headers, { etag: '"default:7"', 'x-svc-revision': 'default:7' })
    t.equal((await ask('PUT', '/api/v1/flags/closed', {})).status, 400)
  })

  await t.test('says how the answer may be kept', async (t) => {
    const cacheControl = async (method: InjectOptions['method'], path: string) =>
      (await ask(method, path)).answer.headers['cache-control']
    t.equal(await cacheControl('GET', '/api/v1/flags'), 'private, no-cache')
    t.equal(await cacheControl('GET', '/api/v1/flags/missing'), 'no-store')
    t.equal(await cacheControl('POST', '/api/v1/flags'), 'no-store')
    t.equal(await cacheControl('GET', '/auth/v1/self'), 'no-store')
  })

  await t.test('gets the error of the service, and nothing of its inside', async (t) => {
    t.strictSame((await ask('GET', '/api/v1/flags/missing')).answer.json(), {
      code: 5,
      message: 'flag "default/missing" not found',
      details: [],
    })
    const broken = await ask('GET', '/api/v1/flags/broken')
    t.equal(broken.status, 500)
    t.strictSame(broken.answer.json(), { code: 13, message: 'internal error', details: [] })
  })
})

t.test('the routes', async (t) => {
  const { url, ask, guard } = await start(t)

  await t.test('take one slash at the end, and an order for an id', async (t) => {
    for (const [method, path, name, request] of fixture.routes) {
      const { seen } = await ask(method, path)
      t.match(seen, { method: name, request }, `${method} ${path}`)
    }
  })

  await t.test('all lead to their method, by each of their URLs', async (t) => {
    guard.refusal = new AppError('permission_denied', 'no', 'no')
    for (const { operation, binding, url } of routesOf(operations)) {
      const path = url.replace(/:\w+/g, 'x')
      const { status, identified } = await ask(binding.verb, path)
      t.strictSame([status, identified], [403, operation.access], `${binding.verb} ${url}`)
    }
    guard.refusal = undefined
  })

  await t.test('answer other methods with those that there are', async (t) => {
    for (const [method, path, allow] of fixture.allowed) {
      const { answer, identified } = await ask(method, path)
      const seen = [answer.statusCode, answer.headers.allow, identified]
      t.strictSame(seen, [405, allow, undefined], `${method} ${path}`)
    }
  })

  await t.test('do not take other spellings for theirs', async (t) => {
    const get = async (path: string) => {
      const sent = httpRequest(url, { path })
      sent.end()
      const [answer]: IncomingMessage[] = await once(sent, 'response')
      if (answer === undefined) throw new Error('there is no answer')
      return { status: answer.statusCode, body: await json(answer) }
    }
    const longKeys: typeof fixture.spellings = [
      [`/api/v1/namespaces/${'a'.repeat(255)}/flags`, 200],
      [`/api/v1/namespaces/${'a'.repeat(256)}/flags`, 400],
      [`/api/v1/namespaces/${'a'.repeat(4100)}/flags`, 414],
    ]
    for (const [path, status] of [...fixture.spellings, ...longKeys]) {
      const answer = await get(path.replace('ORIGIN', url))
      t.equal(answer.status, status, path.slice(0, 60))
      if (status !== 200) t.match(answer.body, { message: String, details: [] })
    }
  })

  await t.test('are two for each URL of a method', async (t) => {
    const { operation } = bound('GetRule')
    t.strictSame(
      routesOf([operation]).map(({ binding, url }) => `${binding.verb} ${url}`),
      [
        'GET /api/v1/namespaces/:namespaceKey/flags/:flagKey/rules/:id',
        'GET /api/v1/namespaces/:namespaceKey/flags/:flagKey/rules/:id/',
        'GET /api/v1/flags/:flagKey/rules/:id',
        'GET /api/v1/flags/:flagKey/rules/:id/',
      ],
    )
  })
})

t.test('a request that waits for a revision keeps no other waiting', async (t) => {
  const { url, waits } = await start(t)
  const statusOf = async (headers = {}) => {
    const answer = await fetch(`${url}/api/v1/flags`, { headers })
    await answer.body?.cancel()
    return answer.status
  }
  const held = statusOf({ 'x-svc-min-revision': 'default:7' })
  await waitFor(() => waits.length === 1)
  const others = await Promise.all(Array.from({ length: 20 }, () => statusOf()))
  t.strictSame(others, Array(20).fill(200))
  waits[0]?.()
  t.equal(await held, 503)
})

t.test('a service that is unavailable is answered for with 503', async (t) => {
  const { ask, stop } = await start(t)
  await stop()
  const { answer } = await ask('GET', '/api/v1/flags')
  t.equal(answer.statusCode, 503)
  t.equal(answer.headers['retry-after'], '1')
  t.strictSame(answer.json(), {
    code: 14,
    message: 'the resource service is unavailable, try again',
    details: [],
  })
})
