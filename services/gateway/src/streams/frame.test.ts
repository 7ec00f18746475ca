import t from 'tap'
import { encodeEvent, encodeOpening } from './frame.ts'

t.test('an event has its id, its kind and its data', async (t) => {
  const frame = encodeEvent({ id: '42', event: 'change', data: '{"a":1}' })
  t.equal(frame.toString(), 'id: 42\nevent: change\ndata: {"a":1}\n\n')
})

t.test('data of several lines stays one event', async (t) => {
  t.equal(
    encodeEvent({ data: 'a\nb\r\nc\rd' }).toString(),
    'data: a\ndata: b\ndata: c\ndata: d\n\n',
  )
})

t.test('a stream begins with a head and no event', async (t) => {
  const opening = (id?: string) => encodeOpening({ a: ['b', 'c'], d: 1 }, 2000, id).toString()
  t.match(opening(), /^HTTP\/1.1 200 OK\r\na: b\r\na: c\r\nd: 1\r\n/)
  t.match(opening(), /\r\n\r\nretry: 2000\n\n$/)
  t.match(opening('7'), /\r\n\r\nretry: 2000\nid: 7\n\n$/)
})
