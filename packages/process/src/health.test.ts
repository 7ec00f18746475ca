import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { type Readiness, startHealth } from './health.ts'

async function start(t: Test, readiness: () => Readiness = () => ({ isReady: true })) {
  const health = await startHealth('127.0.0.1:0', readiness)
  t.teardown(() => health.close())
  return health.port
}

async function ask(port: number, path: string, method = 'GET') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  return { status: answer.status, body: await answer.json() }
}

t.test('/healthz answers while the process runs, /readyz says whether it is ready', async (t) => {
  let readiness: Readiness = { isReady: false }
  const port = await start(t, () => readiness)
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

t.test('an address that cannot be listened on is an error that says what to do', async (t) => {
  const port = await start(t)
  await t.rejects(
    startHealth(`127.0.0.1:${port}`, () => ({ isReady: true })),
    { code: 'failed_precondition', message: /^cannot listen on 127\.0\.0\.1:\d+ for health: set / },
  )
})

t.test('it listens on an address of IPv6, too', async (t) => {
  const health = await startHealth('[::1]:0', () => ({ isReady: true }))
  t.teardown(() => health.close())
  t.equal((await fetch(`http://[::1]:${health.port}/healthz`)).status, 200)
})
