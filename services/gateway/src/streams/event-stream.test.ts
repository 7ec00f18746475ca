import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import t from 'tap'
import { EventStream } from './event-stream.ts'
import { encodeEvent } from './frame.ts'
import { FakeSocket } from './testing.ts'

const sliceBytes = 100_000

/** An event of many slices. */
function slicedFrame(count: number) {
  const slices = Array.from({ length: count }, () => Buffer.alloc(sliceBytes, 'x'))
  return {
    length: count * sliceBytes,
    async *slices() {
      yield* slices
    },
  }
}

function open() {
  const socket = new FakeSocket()
  let ends = 0
  const stream = new EventStream(socket.asSocket(), 3 * sliceBytes, () => ends++)
  return { socket, stream, ends: () => ends }
}

t.test('a client that takes a large event slowly gets all of it', async (t) => {
  const { socket, stream } = open()
  stream.send(slicedFrame(20))
  for (let beat = 0; beat < 20; beat++) {
    await nextTurn()
    socket.take()
    stream.beat()
    t.ok(stream.isOpen, `beat ${beat}`)
  }
  await stream.sent
  t.equal(socket.text().length, 20 * sliceBytes)
})

t.test('but it has a minute, and a second for each 256 KB', async (t) => {
  let nowMs = 0
  t.intercept(performance, 'now', { value: () => nowMs })
  const { socket, stream, ends } = open()
  stream.send(slicedFrame(256))
  const take = async () => {
    await nextTurn()
    socket.take()
    stream.beat()
  }
  await take()
  nowMs = 60_000 + 100_000 - 1
  await take()
  t.ok(stream.isOpen)
  nowMs += 1
  await take()
  t.ok(socket.destroyed)
  t.equal(ends(), 1)
})

t.test('a client that takes nothing any more is disconnected', async (t) => {
  const { socket, stream, ends } = open()
  stream.send(slicedFrame(20))
  await nextTurn()
  socket.take()
  for (let beat = 0; beat < 4; beat++) {
    await nextTurn()
    t.ok(stream.isOpen)
    stream.beat()
  }
  stream.beat()
  t.ok(socket.destroyed)
  t.equal(ends(), 1)
})

t.test('what of a large event is to come does not count as waiting', async (t) => {
  const { socket, stream } = open()
  stream.send(slicedFrame(20))
  await nextTurn()
  const later = encodeEvent({ data: 'later' })
  stream.send(later)
  t.ok(stream.isOpen)
  stream.send(slicedFrame(20))
  t.notOk(stream.isOpen, 'but a second one behind others does')
  t.ok(socket.destroyed)
})

t.test('what was queued is sent, whatever comes after it', async (t) => {
  const { socket, stream } = open()
  stream.send(slicedFrame(2))
  const { sent } = stream
  await nextTurn()
  stream.send(encodeEvent({ data: 'later' }))
  socket.take()
  await nextTurn()
  socket.take()
  await sent
  t.equal(socket.text().length, 2 * sliceBytes)
})

t.test('a stream ends when the turn of a large event does not come', async (t) => {
  const { socket, stream, ends } = open()
  stream.send(encodeEvent({ data: 'before' }))
  socket.read()
  stream.send({
    length: sliceBytes,
    // biome-ignore lint/correctness/useYield: there is nothing to yield.
    async *slices() {
      throw new AppError('unavailable', 'unavailable', 'too many')
    },
  })
  stream.send(encodeEvent({ data: 'after' }))
  await stream.sent
  t.equal(ends(), 1)
  t.equal(socket.text(), 'data: before\n\n')
  t.ok(socket.writableEnded)
})
