import { createServer, type RequestListener } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { measureThroughput } from './closed-loop.ts'
import { measureLatency } from './open-loop.ts'
import { postBytes, type Question } from './question.ts'

type Test = Pick<typeof t, 'teardown'>

async function listen(t: Test, listener: RequestListener, maxRequests = 0): Promise<number> {
  const server = createServer(listener)
  server.maxRequestsPerSocket = maxRequests
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function ask(check: (body: string) => void = () => {}): readonly Question[] {
  return [{ bytes: postBytes('/', 'token', { a: 'ü' }), check }]
}

t.test('counts the answers of a server, and looks at some', async (t) => {
  let received = 0
  const bodies = new Set<string>()
  const port = await listen(t, (request, response) => {
    received++
    request.resume().on('end', () => response.end('{"b":"ü"}'))
  })
  const looked = ask((body) => bodies.add(body))
  const startedAt = performance.now()
  const { answered, perSecond, clientShare } = await measureThroughput(port, looked, 1000)
  const elapsedMs = performance.now() - startedAt
  t.ok(answered > 100)
  t.ok(received - answered >= 0 && received - answered <= 32, 'but for those under way')
  const tookMs = (answered / perSecond) * 1000
  t.ok(tookMs > 900 && tookMs <= elapsedMs, `per second of ${tookMs} of ${elapsedMs} ms`)
  t.ok(clientShare > 0)
  t.strictSame([...bodies], ['{"b":"ü"}'])
})

t.test('goes on when the server ends a connection after so many requests', async (t) => {
  const port = await listen(t, (_, response) => response.end('{}'), 2)
  const { answered } = await measureThroughput(port, ask(), 1000)
  t.ok(answered > 32 * 2, `${answered} answers`)
})

t.test('fails with any other answer, or none', async (t) => {
  const wrong: RequestListener[] = [
    (_, response) => response.writeHead(503).end('{}'),
    (_, response) => response.writeHead(204).end(),
    (request) => request.socket.destroy(),
  ]
  for (const listener of wrong) {
    const port = await listen(t, listener)
    await t.rejects(measureThroughput(port, ask(), 300))
    await t.rejects(measureLatency(port, ask(), 100, 300))
  }
})

t.test('reads an answer in as many parts as it comes in', async (t) => {
  const server = createRawServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', async () => {
      for (const part of ['HTTP/1.1 200 OK\r\nContent-', 'Length: 4\r\n\r', '\n{', '}  ']) {
        socket.write(part)
        await sleep(2)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const { p50Ms } = await measureLatency(port, ask(), 100, 300)
  t.ok(p50Ms > 4)
})

t.test('counts latency from when a request was due, so that a stall shows on all', async (t) => {
  let count = 0
  const port = await listen(t, (_, response) => {
    // In the middle, the server does nothing for 200 ms.
    if (++count === 100) for (const until = performance.now() + 200; performance.now() < until; );
    response.end('{}')
  })
  const measure = () => {
    count = 0
    return measureLatency(port, ask(), 1000, 1000)
  }
  let measured = await measure()
  // On a busy machine there may be another stall, and both together may hold up half of the requests.
  for (let tries = 1; measured.p50Ms >= 100 && tries < 3; tries++) measured = await measure()
  const { p50Ms, p99Ms, maxMs } = measured
  t.ok(p50Ms < 100, `median ${p50Ms}`)
  t.ok(p99Ms > 100, `p99 ${p99Ms}`)
  t.ok(maxMs > 150, `maximum ${maxMs}`)
})
