import { once } from 'node:events'
import { connect, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { type MonitoringOptions, type Readiness, startMonitoring } from './monitoring.ts'

const usual: MonitoringOptions = {
  host: '127.0.0.1',
  port: 0,
  readiness: () => ({ isReady: true }),
  log: { warn: () => {} },
  scrape: async () => 'a 1\n',
}

async function start(t: Test, options: Partial<MonitoringOptions> = {}) {
  const monitoring = await startMonitoring({ ...usual, ...options })
  t.teardown(() => monitoring.close())
  return monitoring.port
}

async function ask(port: number, path: string, method = 'GET') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  return { status: answer.status, body: await answer.json() }
}

t.test('/healthz answers while the process runs, /readyz says whether it is ready', async (t) => {
  let readiness: Readiness = { isReady: false }
  const port = await start(t, { readiness: () => readiness })
  t.strictSame(await ask(port, '/healthz'), { status: 200, body: { status: 'ok' } })
  t.strictSame(await ask(port, '/readyz'), { status: 503, body: { status: 'not ready' } })
  readiness = { isReady: true, parts: { flags: { state: 'current' } } }
  t.strictSame(await ask(port, '/readyz?verbose'), {
    status: 200,
    body: { status: 'ready', parts: { flags: { state: 'current' } } },
  })
})

t.test('other paths and methods are refused', async (t) => {
  const port = await start(t)
  t.match(await ask(port, '/metricz'), { status: 404 })
  t.match(await ask(port, '/readyz', 'POST'), { status: 405 })
})

t.test('a client that is silent, or sends too much, does not keep its connection', async (t) => {
  const port = await start(t)
  const silent = connect(port, '127.0.0.1')
  const large = connect(port, '127.0.0.1')
  large.write(`GET /readyz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(5000)}\r\n\r\n`)
  t.match(await text(large), /^HTTP\/1\.1 431 /)
  t.match(await text(silent), /^HTTP\/1\.1 408 /)
})

t.test('it takes a few connections and closes further ones', async (t) => {
  const port = await start(t)
  const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
  })
  for (const socket of sockets) socket.on('error', () => {})
  const closed = sockets.slice(32).map((socket) => once(socket, 'close'))
  await Promise.all(closed)
  t.strictSame(
    sockets.slice(0, 32).filter((socket) => socket.destroyed),
    [],
  )
})

t.test('a port that cannot be listened on is an error that says what to do', async (t) => {
  const port = await start(t)
  await t.rejects(startMonitoring({ ...usual, port }), {
    code: 'failed_precondition',
    message: /^cannot listen on 127\.0\.0\.1:\d+ for health and metrics: set metrics\.port /,
  })
})

t.test('an error of the port while it listens is logged and ends nothing', async (t) => {
  const listens = t.capture(Server.prototype, 'listen', Server.prototype.listen)
  const lines: unknown[][] = []
  const port = await start(t, { log: { warn: (...line: unknown[]) => lines.push(line) } })
  const server = listens()[0]?.receiver as Server | undefined
  const err = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  for (let i = 0; i < 3; i++) server?.emit('error', err)
  t.strictSame(lines, [[{ err }, 'the port of health and metrics has an error']])
  t.match(await ask(port, '/healthz'), { status: 200 })
})

for (const [host, address] of [
  ['::1', '[::1]'],
  ['::', '127.0.0.1'],
  ['::', '[::1]'],
] as const) {
  t.test(`on ${host} it is reached by ${address}`, async (t) => {
    const port = await start(t, { host })
    t.equal((await fetch(`http://${address}:${port}/healthz`)).status, 200)
  })
}

t.test('/metrics has the text of now', async (t) => {
  let count = 0
  const port = await start(t, { scrape: async () => `a ${++count}\n` })
  for (const text of ['a 1\n', 'a 2\n']) {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
    t.equal(await answer.text(), text)
  }
  const head = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'HEAD' })
  t.strictSame([head.status, await head.text()], [200, ''])
  t.match(await ask(port, '/metrics', 'POST'), { status: 405 })
})

t.test('/metrics is not there where the metrics are off, and says so when they fail', async (t) => {
  t.match(await ask(await start(t, { scrape: undefined }), '/metrics'), {
    status: 404,
    body: { message: /metrics\.enabled/ },
  })
  const port = await start(t, { scrape: () => Promise.reject(new Error('secret')) })
  const failed = await ask(port, '/metrics')
  t.equal(failed.status, 500)
  t.notMatch(JSON.stringify(failed.body), 'secret')
  t.match(await ask(port, '/healthz'), { status: 200 })
})

t.test('a scraper that does not read loses its connection', async (t) => {
  const whole = 'a 1\n'.repeat(5_000_000)
  const port = await start(t, { scrape: async () => whole, connectionLimitMs: 200 })
  const slow = connect(port, '127.0.0.1').pause()
  slow.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(slow, 'connect')
  // Younger, and closed at the same age.
  const silent = connect(port, '127.0.0.1').resume()
  await once(silent, 'close')
  t.ok((await text(slow)).length < whole.length)
})
