import { EventEmitter, once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { BodyMemory, limitBodyMemory } from './body-memory.ts'
import { openEdge } from './edge.ts'
import type { Exchange } from './exchange.ts'

/** A body of which nothing has arrived, and its answer. */
function receive(memory: BodyMemory) {
  const body = new PassThrough()
  const response = new EventEmitter()
  const socket = new EventEmitter() as Socket
  const metered = memory.meter(body, response as ServerResponse, socket)
  let received = 0
  metered.on('data', ({ length }: Buffer) => {
    received += length
  })
  return {
    body,
    metered,
    received: () => received,
    answer: () => response.emit('close'),
    disconnect: () => socket.emit('close'),
    listeners: () => socket.listenerCount('close') + response.listenerCount('close'),
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
}

t.test('bodies pass as they are while there is room', async (t) => {
  const memory = new BodyMemory(100)
  const body = new PassThrough()
  const response = new EventEmitter()
  const socket = new EventEmitter() as Socket
  const metered = memory.meter(body, response as ServerResponse, socket)
  body.write('one ')
  body.end('two')
  t.equal(await text(metered), 'one two')
  t.equal(memory.heldBytes, 7)
  response.emit('close')
  t.equal(memory.heldBytes, 0)
})

t.test('when there is none they wait, the oldest for the shortest time', async (t) => {
  const memory = new BodyMemory(10)
  const bodies = Array.from({ length: 5 }, () => receive(memory))
  const received = async () => {
    await settle()
    return bodies.map((one) => one.received())
  }
  for (const { body } of bodies) body.write('12345')
  t.strictSame(await received(), [5, 5, 0, 0, 0])
  bodies[0]?.body.write('678901234567890')
  t.strictSame(await received(), [20, 5, 0, 0, 0], 'the oldest is read in any case')
  bodies[4]?.answer()
  t.strictSame(await received(), [20, 5, 0, 0, 0], 'the end of one that waits makes no room')
  bodies[0]?.answer()
  t.strictSame(await received(), [20, 5, 0, 0, 0], 'there is still too much')
  bodies[2]?.body.write('67890')
  bodies[1]?.answer()
  t.strictSame(await received(), [20, 5, 10, 0, 0], 'the next oldest takes the room')
  bodies[2]?.answer()
  t.strictSame(await received(), [20, 5, 10, 5, 0])
  bodies[3]?.answer()
  t.equal(memory.heldBytes, 0)
})

t.test('a body whose client has left is not held', async (t) => {
  const memory = new BodyMemory(10)
  const body = new PassThrough()
  const response = Object.assign(new EventEmitter(), { closed: true }) as unknown as ServerResponse
  t.equal(memory.meter(body, response, new EventEmitter() as Socket), body)
})

t.test('a body ends with its connection, once, and leaves no listener', async (t) => {
  const memory = new BodyMemory(10)
  const [one, other] = [receive(memory), receive(memory)]
  for (const { body } of [one, other]) body.write('12345')
  await settle()
  // As on Node.js 20 where the answer has to wait for another.
  one.disconnect()
  t.equal(memory.heldBytes, 5)
  one.answer()
  t.equal(memory.heldBytes, 5)
  other.answer()
  t.equal(memory.heldBytes, 0)
  t.equal(one.listeners() + other.listeners(), 0)
})

t.test(
  'the body of a GET is not held: nothing reads it, and its answer may be a stream',
  async (t) => {
    const memory = new BodyMemory()
    const app = Fastify()
    limitBodyMemory(app, memory)
    app.get('/stream', { config: { identify: () => 'one' } }, async (_, reply) => {
      reply.hijack()
      const { socket } = reply.raw
      reply.raw.removeAllListeners()
      socket?.write('HTTP/1.1 200 OK\r\n\r\n', () => void socket.destroy())
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => app.close())
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.teardown(() => void socket.destroy())
    socket.write(
      `GET /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
    )
    await once(socket, 'data')
    t.equal(memory.heldBytes, 0)
  },
)

t.test('a body that breaks off is an error to its reader', async (t) => {
  const { body, metered } = receive(new BodyMemory(10))
  const failed = new Promise((resolve) => metered.once('error', resolve))
  body.destroy(new Error('aborted'))
  t.match(await failed, { message: 'aborted' })
})

t.test('one that waits for room for too long is refused', async (t) => {
  const memory = new BodyMemory(10, 20)
  const [oldest, waiting] = [receive(memory), receive(memory)]
  const failed = new Promise((resolve) => waiting.metered.once('error', resolve))
  oldest.body.write('12345678')
  waiting.body.write('12345')
  t.match(await failed, { code: 'unavailable' })
  t.equal(waiting.received(), 0)
  t.notOk(waiting.body.destroyed, 'and its connection stays for the answer')
  waiting.answer()
  t.equal(memory.heldBytes, 8)
  oldest.answer()
  t.equal(memory.heldBytes, 0)
})

t.test('one that would wait with too many others is refused at once', async (t) => {
  const memory = new BodyMemory(10, 60_000, 2)
  const [oldest, waiting] = [receive(memory), receive(memory)]
  for (const { body } of [oldest, waiting]) body.write('12345678')
  await settle()
  const refused = receive(memory)
  const failed = new Promise((resolve) => refused.metered.once('error', resolve))
  refused.body.write('12345678')
  t.match(await failed, { code: 'unavailable' })
  refused.answer()
  oldest.answer()
  await settle()
  t.equal(waiting.received(), 8, 'the one that waits has its turn')
  waiting.answer()
  t.equal(memory.heldBytes, 0)
})

t.test('its client is asked to try again, on the same connection', async (t) => {
  const memory = new BodyMemory(70_000, 20)
  const edge = openEdge({ bodyMemory: memory })
  const config = { identify: () => 'one' }
  edge.post('/size', { config }, async ({ body }) => ({ length: (body as Buffer).length }))
  const url = await edge.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => edge.close())
  const port = Number(new URL(url).port)
  const half = await send(t, port, 80_000, 79_000)
  await waitFor(() => memory.heldBytes >= 79_000)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const refused = await post(agent, port, 'x'.repeat(300_000))
  t.match(refused, { status: 503, retryAfter: '1' })
  half.destroy()
  t.match(await post(agent, port, 'x'.repeat(300_000)), { status: 200 })
})

/** An edge that knows the callers who send a credential, and may demand one. */
async function listen(t: Test, bodyMemory: BodyMemory, isRequired: boolean) {
  const edge = openEdge({ bodyMemory })
  const identify = async ({ request }: Exchange) => {
    const { authorization } = request.raw.headers
    if (authorization !== undefined || !isRequired) return authorization
    throw new AppError('unauthenticated', 'none', 'no credential')
  }
  edge.post('/size', { config: { identify } }, async ({ body }) => ({
    length: (body as Buffer).length,
  }))
  const url = await edge.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => edge.close())
  const ofCaller = (size: number) => {
    const headers = { authorization: 'Bearer one' }
    return fetch(`${url}/size`, { method: 'POST', body: 'x'.repeat(size), headers })
  }
  return { port: Number(new URL(url).port), ofCaller }
}

t.test('no large body is read before its caller is known', async (t) => {
  const memory = new BodyMemory()
  const { port, ofCaller } = await listen(t, memory, true)
  for (const size of [32_000, 100_000]) {
    const unknown = await send(t, port, size, size - 1000)
    const [answer] = await once(unknown, 'data')
    t.match(String(answer), 'HTTP/1.1 401 ')
    t.equal(memory.heldBytes, 0)
    t.strictSame(await (await ofCaller(size)).json(), { length: size })
  }
})

t.test('without a caller, large bodies take no room of those that have one', async (t) => {
  const memory = new BodyMemory(100_000, 20)
  const { port, ofCaller } = await listen(t, memory, false)
  await Promise.all(Array.from({ length: 3 }, () => send(t, port, 100_000, 99_000)))
  t.strictSame(await (await ofCaller(300_000)).json(), { length: 300_000 })
})

/** A request with a body of that size, of which `sent` bytes are sent. */
function send(t: Test, port: number, size: number, sent: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`)
      socket.write('x'.repeat(sent), () => {})
      resolve(socket)
    })
    socket.on('error', () => {})
    t.teardown(() => void socket.destroy())
  })
}

/** Sends a body, and waits for the answer. */
async function post(agent: Agent, port: number, body: string) {
  const sent = request({ agent, port, host: '127.0.0.1', path: '/size', method: 'POST' })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  await text(answer)
  return { status: answer.statusCode, retryAfter: answer.headers['retry-after'] }
}

t.test('many large bodies at once are all answered, and a small one does not wait', async (t) => {
  const app = openEdge({ server: { bodyLimit: 4 * 2 ** 20 } })
  const sizes: number[] = []
  app.post('/size', async ({ body }) => {
    const { length } = body as Buffer
    sizes.push(length)
    return { length }
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const port = Number(new URL(url).port)
  const size = 2 ** 20
  // These will never be whole, and take all of the room.
  const halves = await Promise.all(
    Array.from({ length: 40 }, () => send(t, port, size, size - 1000)),
  )
  const whole = Array.from({ length: 40 }, () =>
    fetch(`${url}/size`, { method: 'POST', body: 'x'.repeat(size) }),
  )
  const small = await fetch(`${url}/size`, { method: 'POST', body: 'small' })
  t.strictSame(await small.json(), { length: 5 })
  t.ok(sizes.length < 41, 'large ones wait')
  for (const socket of halves) socket.destroy()
  const answers = await Promise.all(whole)
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]))
  await waitFor(() => sizes.filter((length) => length === size).length === 40)
})
