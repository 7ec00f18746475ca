import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { openEdge } from './edge.ts'
import { LoadShedding, type LoadSheddingOptions } from './load-shedding.ts'
import { maxAhead } from './pipelining.ts'
import { addRequestMetrics } from './request-metrics.ts'

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

async function start(
  t: Test,
  admits: () => boolean,
  answer = (response: ServerResponse) => void response.end('served'),
) {
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
    openQueue: ({ serve, refuse }) => ({
      add(one, limit) {
        const isAdmitted = limit === undefined || admits()
        if (isAdmitted) serve(one)
        else refuse(one, performance.now())
        return isAdmitted
      },
      noteConnection: () => void connections.push(served.length),
    }),
  })
  shedding.shed(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const ask = (path: string, body?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: body ? 'POST' : 'GET', body: body ?? null })
  return { served, lines, connections, counts, ask, port }
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
  const { served, port } = await start(
    t,
    () => true,
    () => {},
  )
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

t.test('a route whose limit is full refuses before a body is read, and is measured', async (t) => {
  const app = openEdge()
  const { counts, durationsOf } = measure()
  const log = { warn: () => {} }
  new LoadShedding({ requestIdOf: () => 'an-id', log, durationsOf }).guardRoutes(app)
  if (durationsOf !== undefined) addRequestMetrics(app, durationsOf)
  let isFull = true
  const limit = { refuses: () => isFull }
  app.put('/full', { config: { limit } }, async () => 'served')
  app.put('/free', async () => 'served')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const ask = (path: string) => fetch(`${url}${path}`, { method: 'PUT', body: '{' })
  const refused = await ask('/full')
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(await refused.json(), { message: 'the gateway is overloaded, try again later' })
  t.equal((await ask('/free')).status, 200)
  isFull = false
  t.equal((await ask('/full')).status, 200)
  t.strictSame(counts, { 'PUT /full 503': 1, 'PUT /free 200': 1, 'PUT /full 200': 1 })
})
