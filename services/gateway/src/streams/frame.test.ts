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

t.test('what a stream begins with is no event', async (t) => {
  t.equal(encodeOpening(2000).toString(), 'retry: 2000\n\n')
  t.equal(encodeOpening(2000, '7').toString(), 'retry: 2000\nid: 7\n\n')
})
