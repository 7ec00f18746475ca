import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { waitFor } from '@svc/runtime/testing'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { LoadShedding } from '../http/load-shedding.ts'
import type { EventStream } from './event-stream.ts'
import { EventStreams, type StreamOptions } from './event-streams.ts'
import { encodeEvent } from './frame.ts'

type Options = Partial<StreamOptions>
type OwnOptions = ConstructorParameters<typeof EventStreams>[0]

/** A server whose `/:topic` are streams, and whatever was opened on it. */
async function startServer(t: Test, options: Options = {}, own: OwnOptions = {}) {
  const streams = new EventStreams({ heartbeatMs: 150, ...own })
  const opened: EventStream[] = []
  const ends: EventStream[] = []
  const requests: WeakRef<object>[] = []
  const app = Fastify()
  // With a hook, as with a logger, Fastify listens for the end of each answer.
  app.addHook('onResponse', async () => {})
  app.get<{ Params: { topic: string } }>('/:topic', async (request, reply) => {
    if (request.params.topic === 'late') await sleep(10)
    requests.push(new WeakRef(request))
    const onEnd = (stream: EventStream) => ends.push(stream)
    const usual = { maxWaitingBytes: 10_000, onEnd, ...options }
    opened.push(streams.open(reply, request.params.topic, usual))
  })
  // The path of another answer, which takes a moment.
  app.get('/wait', async () => sleep(50, {}))
  new LoadShedding({ requestIdOf: () => 'an-id', log: app.log }).shed(app.server)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => {
    streams.close()
    return app.close()
  })
  return { streams, opened, ends, requests, port: Number(new URL(url).port) }
}

/** A client that keeps what it got, without the framing of HTTP. */
async function open(t: Test, port: number, topic = 'a') {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (data) => {
    text += data.toString()
  })
  socket.write(`GET /${topic} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await waitFor(() => text.includes('\r\n\r\n'))
  return {
    socket,
    text: () => text,
    events: () => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data),
  }
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close')
}

t.test('a kind of topic whose streams have ended has the size 0', async (t) => {
  const { port, streams } = await startServer(t)
  const [one, two] = [await open(t, port, 'a%20x'), await open(t, port, 'b%20x')]
  t.strictSame(
    [...streams.sizes()],
    [
      ['a', 1],
      ['b', 1],
    ],
  )
  one.socket.destroy()
  two.socket.destroy()
  await waitFor(() => streams.size === 0)
  t.strictSame(
    [...streams.sizes()],
    [
      ['a', 0],
      ['b', 0],
    ],
  )
})

t.test('a stream has a content type, and a retry time', async (t) => {
  const { port } = await startServer(t, { id: '7' })
  const { text } = await open(t, port)
  await waitFor(() => text().includes('id: 7'))
  t.match(text(), /^HTTP\/1.1 200 OK\r\n/)
  t.match(text(), /\r\ncontent-type: text\/event-stream\r\n/i)
  t.match(text(), /\r\nx-accel-buffering: no\r\n/i)
  const retryMs = Number(/^retry: (\d+)\nid: 7\n\n/m.exec(text())?.[1])
  t.ok(retryMs >= 1000 && retryMs < 5000, `${retryMs} ms`)
})

t.test(
  'each client gets what is published on its topic from then on, once, in order',
  async (t) => {
    const { port, streams } = await startServer(t)
    streams.publish('a', encodeEvent({ data: 'before' }))
    const clients = await Promise.all(Array.from({ length: 60 }, () => open(t, port)))
    const other = await open(t, port, 'b')
    const sent = Array.from({ length: 20 }, (_, i) => String(i))
    const half = clients.slice(0, 30)
    for (const data of sent) streams.publish('a', encodeEvent({ data }))
    for (const { socket } of half) socket.destroy()
    const late = await open(t, port)
    streams.publish('a', encodeEvent({ data: 'last' }))
    await waitFor(() => clients.slice(30).every((client) => client.events().includes('last')))
    for (const client of clients.slice(30)) t.strictSame(client.events(), [...sent, 'last'])
    t.strictSame(late.events(), ['last'])
    t.strictSame(other.events(), [])
    await waitFor(() => streams.size === 32)
  },
)

t.test('a client that does not read is disconnected; others are not', async (t) => {
  const { port, streams, ends } = await startServer(t)
  const lazy = await open(t, port)
  lazy.socket.pause()
  const eager = await open(t, port)
  const data = 'x'.repeat(5000)
  let count = 0
  // The kernel takes some megabytes before anything has to wait here.
  for (; streams.size === 2 && count < 10_000; count++) {
    streams.publish('a', encodeEvent({ data }))
    await nextTurn()
  }
  t.equal(streams.size, 1)
  t.equal(ends.length, 1)
  await waitFor(() => eager.events().length === count)
})

/** An event of many slices, which counts those that are asked for and notes its end. */
function slicedFrame(slices: number, sliceBytes: number) {
  const counts = { asked: 0, isOver: false }
  const before = Buffer.from('data: ')
  const after = Buffer.from('\n\n')
  const frame = {
    length: before.length + slices * sliceBytes + after.length,
    async *slices() {
      try {
        yield before
        for (; counts.asked < slices; counts.asked++) yield Buffer.alloc(sliceBytes, 'x')
        yield after
      } finally {
        counts.isOver = true
      }
    },
  }
  return { frame, counts }
}

t.test('an event in slices', async (t) => {
  await t.test('is sent as one, with later events and heartbeats behind it', async (t) => {
    const options = { maxWaitingBytes: 20_000_000 }
    const { port, opened, streams } = await startServer(t, options, { heartbeatMs: 3_600_000 })
    const client = await open(t, port)
    const [stream] = opened
    client.socket.pause()
    const { frame, counts } = slicedFrame(300, 50_000)
    stream?.send(frame)
    streams.publish('a', encodeEvent({ data: 'later' }))
    let isSent = false
    const sent = stream?.sent.then(() => {
      isSent = true
    })
    for (let beat = 0; beat < 3; beat++) {
      await sleep(20)
      stream?.beat()
    }
    t.ok(counts.asked < 300, 'what the client does not take is not made')
    t.notOk(isSent)
    client.socket.resume()
    await waitFor(() => client.events().length === 2)
    t.strictSame(
      client.events().map((data) => data?.length),
      [frame.length - 8, 5],
    )
    await sent
    stream?.beat()
    await waitFor(() => client.text().endsWith('\n\n:\n\n'))
  })

  await t.test('is given up when its client does not read', async (t) => {
    const { port, opened, ends } = await startServer(t)
    const client = await open(t, port)
    client.socket.pause()
    const { frame, counts } = slicedFrame(1000, 50_000)
    opened[0]?.send(frame)
    await waitFor(() => ends.length === 1)
    await opened[0]?.sent
    t.equal(ends.length, 1)
    t.ok(counts.isOver)
    t.ok(counts.asked < 1000)
  })
})

t.test('a first event of any size goes out', async (t) => {
  const { port, opened } = await startServer(t)
  const client = await open(t, port)
  opened[0]?.send(encodeEvent({ data: 'x'.repeat(5_000_000) }))
  await waitFor(() => client.events()[0]?.length === 5_000_000)
})

t.test('a stream that is silent has heartbeats', async (t) => {
  const { port } = await startServer(t)
  const { text } = await open(t, port)
  await waitFor(() => text().split('\n:\n').length > 3)
})

t.test('a stream ends with the heartbeat at which it is no longer allowed', async (t) => {
  let may = true
  const { port, ends, streams } = await startServer(t, { mayGoOn: () => may })
  const { socket } = await open(t, port)
  await sleep(200)
  t.equal(streams.size, 1)
  may = false
  await closed(socket)
  t.equal(ends.length, 1)
})

t.test('their number has a bound, and a client that leaves makes room', async (t) => {
  const { port, streams, ends } = await startServer(t, {}, { maxStreams: 2 })
  const first = await open(t, port)
  await open(t, port)
  const third = await open(t, port)
  t.match(third.text(), /^HTTP\/1.1 5\d\d /)
  first.socket.destroy()
  await waitFor(() => streams.size === 1)
  t.equal(ends.length, 1)
  t.match((await open(t, port)).text(), /^HTTP\/1.1 200 /)
})

t.test('streams that share a key are limited together, and one that ends makes room', async (t) => {
  const limits = [{ key: 'token a', max: 2, whose: 'this caller' }]
  const { port, streams } = await startServer(t, { limits })
  const first = await open(t, port, 'a')
  await open(t, port, 'b')
  const third = await open(t, port, 'c')
  t.match(third.text(), /^HTTP\/1.1 5\d\d /)
  t.match(third.text(), /too many event streams of this caller at this gateway/)
  t.equal(streams.size, 2)
  first.socket.destroy()
  await waitFor(() => streams.size === 1)
  t.match((await open(t, port, 'c')).text(), /^HTTP\/1.1 200 /)
})

t.test('all streams of a topic can be ended, and no others', async (t) => {
  const { port, streams, ends } = await startServer(t)
  const clients = await Promise.all([open(t, port), open(t, port)])
  await open(t, port, 'b')
  streams.publish('a', encodeEvent({ data: 'last' }))
  streams.end('a')
  streams.end('empty')
  for (const { socket, events } of clients) {
    await closed(socket)
    t.strictSame(events(), ['last'])
  }
  t.strictSame([ends.length, streams.has('a'), streams.has('b')], [2, false, true])
})

t.test('a client that has closed its half of the connection also gets an end', async (t) => {
  const { port, streams, ends } = await startServer(t)
  const { socket } = await open(t, port)
  socket.end()
  await waitFor(() => streams.size === 0)
  streams.publish('a', encodeEvent({ data: 'late' }))
  await closed(socket)
  t.equal(ends.length, 1)
})

t.test('an open stream keeps no request', async (t) => {
  const { port, requests, opened } = await startServer(t)
  await open(t, port)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  await waitFor(() => {
    collect()
    return requests.every((request) => request.deref() === undefined)
  })
  t.match(opened, [{ isOpen: true }])
})

t.test('a client that still waits for another answer gets no stream', async (t) => {
  const { port, streams } = await startServer(t)
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (data) => {
    text += data.toString()
  })
  socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n')
  await waitFor(() => text.includes('HTTP/1.1 200 OK') && text.includes('HTTP/1.1 500'))
  t.equal(streams.size, 0)
})

t.test('a further request on its connection ends a stream', async (t) => {
  const { port, streams } = await startServer(t)
  const { socket } = await open(t, port)
  t.equal(streams.size, 1)
  socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
  await closed(socket)
  await waitFor(() => streams.size === 0)
})

t.test('a client of which requests wait behind this one gets no stream', async (t) => {
  const { port, streams } = await startServer(t)
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2))
  const [answer] = await once(socket, 'data')
  t.match(String(answer), /^HTTP\/1.1 500 /)
  t.equal(streams.size, 0)
})

t.test('all end in good order when the gateway closes', async (t) => {
  const { port, streams, ends } = await startServer(t)
  const clients = await Promise.all([open(t, port), open(t, port)])
  streams.publish('a', encodeEvent({ data: 'last' }))
  streams.close()
  for (const { socket, events } of clients) {
    await closed(socket)
    t.strictSame(events(), ['last'])
    t.ok(socket.readableEnded, 'the answer is complete')
  }
  t.equal(ends.length, 2)
  t.match((await open(t, port)).text(), /^HTTP\/1.1 5\d\d /)
})
