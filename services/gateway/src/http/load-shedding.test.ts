import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { promisify } from 'node:util'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { openEdge } from './edge.ts'
import { LoadShedding, type LoadSheddingOptions } from './load-shedding.ts'
import { maxAhead } from './pipelining.ts'
import { type CallLimit, RouteLimits } from './route-limits.ts'

/** What was measured: method, route, status and how often. */
function measure() {
  const counts: Record<string, number> = {}
  const durationsOf: LoadSheddingOptions['durationsOf'] = (method, route, status) => {
    const name = `${method} ${route} ${status}`
    return {
      record(seconds: number) {
        if (seconds >= 0 && seconds < 60) counts[name] = (counts[name] ?? 0) + 1
      },
    } as never
  }
  return { counts, durationsOf }
}

interface StartOptions {
  readonly answer?: (response: ServerResponse) => void
  readonly limits?: NonNullable<LoadSheddingOptions['limits']>
  /** What is admitted waits until this calls back. */
  readonly wait?: (serve: () => void) => void
}

async function start(t: Test, admits: () => boolean, options: StartOptions = {}) {
  const { answer = (response) => void response.end('served'), limits, wait } = options
  const served: string[] = []
  const lines: string[] = []
  const connections: number[] = []
  const server = createServer((request, response) => {
    served.push(request.url ?? '')
    answer(response)
  })
  const log = { warn: (line: string) => void lines.push(line) }
  const { counts, durationsOf } = measure()
  const shedding = new LoadShedding({
    requestIdOf: () => 'an-id',
    log: log as never,
    durationsOf,
    ...(limits && { limits }),
    openQueue: ({ serve, refuse }) => ({
      add(one, isRefusable) {
        if (isRefusable && !admits()) {
          refuse(one, performance.now())
          return 'refused'
        }
        if (wait === undefined) {
          serve(one)
          return 'served'
        }
        const arrivedAt = performance.now()
        wait(() => serve(one, arrivedAt))
        return 'waits'
      },
      refuse: (one) => refuse(one, performance.now()),
      noteConnection: () => void connections.push(served.length),
    }),
  })
  shedding.shed(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const ask = (path: string, body?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: body ? 'POST' : 'GET', body: body ?? null })
  return { server, served, lines, connections, counts, ask, port }
}

t.test('a refusal says when to try again, and the server does nothing for it', async (t) => {
  const { served, lines, counts, ask } = await start(t, () => false)
  for (const body of [undefined, 'x'.repeat(100_000)]) {
    const answer = await ask('/evaluate/v1/batch', body)
    t.equal(answer.status, 503)
    t.match(answer.headers.get('retry-after'), /^[1-3]$/)
    t.equal(answer.headers.get('x-request-id'), 'an-id')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.equal(answer.headers.get('content-type'), 'application/json')
    const message = 'the gateway is overloaded, try again later'
    t.strictSame(await answer.json(), { code: 14, message, details: [] })
  }
  t.strictSame(served, [])
  t.strictSame(lines, ['overloaded: requests are refused'], 'and the log says so once')
  const expected = { 'GET undefined 503': 1, 'POST undefined 503': 1 }
  t.strictSame(counts, expected, 'both are in the series of requests')
})

t.test('probes are answered nevertheless, and so are evaluations of one flag', async (t) => {
  const { served, ask } = await start(t, () => false)
  const evaluation = '/evaluate/v1/boolean'
  const probes = ['/healthz', '/readyz', '/health', '/metrics', '/readyz?full']
  for (const path of probes) t.equal((await ask(path)).status, 200)
  t.equal((await ask(evaluation, '{"flagKey":"on"}')).status, 200)
  t.strictSame(served, [...probes, evaluation])
})

t.test('all flags at once, and batches, are no small requests', async (t) => {
  const { served, ask } = await start(t, () => false)
  for (const path of ['/ofrep/v1/evaluate/flags', '/evaluate/v1/batch?x']) {
    t.equal((await ask(path, '{}')).status, 503)
  }
  t.strictSame(served, [])
})

t.test('of a connection that sends ahead without an end few are served', async (t) => {
  const { served, port } = await start(t, () => true, { answer: () => {} })
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {}).resume()
  client.write(
    'POST /evaluate/v1/boolean HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'.repeat(900),
  )
  await once(client, 'close')
  t.equal(served.length, 1 + maxAhead)
})

t.test('the queue knows of a connection before its first request', async (t) => {
  const { connections, ask } = await start(t, () => true)
  await ask('/')
  t.strictSame(connections, [0])
})

t.test('requests that are admitted are served as before', async (t) => {
  const { served, ask } = await start(t, () => true)
  t.equal(await (await ask('/any', 'body')).text(), 'served')
  t.strictSame(served, ['/any'])
})

/** Limits of an app with two routes of one limit, and one without any. */
function limitRoutes(limit: CallLimit) {
  const app = openEdge()
  const limits = new RouteLimits()
  limits.watch(app)
  const keys: unknown[] = []
  const config = {
    limit: (params: Readonly<Record<string, string>>) => {
      keys.push(params.key)
      return limit
    },
  }
  app.put('/of/:key/full', { config }, async () => 'served')
  app.get('/of/:key/full', { config }, async () => 'served')
  app.put('/free', async () => 'served')
  return { limits, keys }
}

t.test('a request whose limit is full is refused as it arrives, and is measured', async (t) => {
  let isFull = true
  const limit = { refuses: () => isFull, beginWait() {}, endWait() {} }
  const { limits, keys } = limitRoutes(limit)
  const { port, served, counts } = await start(t, () => true, { limits })
  const ask = (path: string, method = 'PUT') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, body: method === 'PUT' ? '{' : null })
  const refused = await ask('/of/a%20b/full?x')
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(await refused.json(), { message: 'the gateway is overloaded, try again later' })
  t.equal((await ask('/of/c/full', 'HEAD')).status, 503)
  t.strictSame(keys, ['a b', 'c'])
  for (const path of ['/free', '/of/full', '/of/%/full', '/of/c/full/']) {
    t.equal((await ask(path)).status, 200, path)
  }
  isFull = false
  t.equal((await ask('/of/c/full')).status, 200)
  t.strictSame(served, ['/free', '/of/full', '/of/%/full', '/of/c/full/', '/of/c/full'])
  t.strictSame(counts, { 'PUT undefined 503': 1, 'HEAD undefined 503': 1 })
})

t.test('what waits has its place in the limit until its turn', async (t) => {
  const places: number[] = []
  let waiting = 0
  const limit = {
    refuses: () => false,
    beginWait: () => void places.push(++waiting),
    endWait: () => void places.push(--waiting),
  }
  const { limits } = limitRoutes(limit)
  const waited = await start(t, () => true, { limits, wait: setImmediate })
  t.equal((await waited.ask('/of/a/full')).status, 200)
  t.strictSame(places, [1, 0])
  const served = await start(t, () => true, { limits })
  t.equal((await served.ask('/of/a/full')).status, 200)
  const refused = await start(t, () => false, { limits })
  t.equal((await refused.ask('/of/a/full')).status, 503)
  t.strictSame(places, [1, 0], 'and what does not wait needs none')
})

t.test('a request whose client leaves while it waits is measured, and not served', async (t) => {
  const { promise: waiting, resolve } = Promise.withResolvers<() => void>()
  const { server, served, counts, port } = await start(t, () => true, { wait: resolve })
  const client = connect(port, '127.0.0.1')
  client.write('GET /any HTTP/1.1\r\nHost: x\r\n\r\n')
  const serve = await waiting
  client.destroy()
  const countOf = promisify(server.getConnections.bind(server))
  await waitFor(async () => (await countOf()) === 0)
  serve()
  t.strictSame(served, [])
  t.strictSame(counts, { 'GET undefined 499': 1 })
})
