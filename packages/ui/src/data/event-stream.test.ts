import fc from 'fast-check'
import t from 'tap'
import { createEventParser, type StreamEvent } from './event-stream.ts'

const stream =
  'retry: 2000\nid: 41\n\n:\n\nid: 42\nevent: change\ndata: {"a":\ndata: 1}\n\nid:43\r\ndata\r\n\r\n'

const expected: readonly StreamEvent[] = [
  { id: '41', data: '' },
  { id: '42', data: '{"a":\n1}' },
  { id: '43', data: '' },
]

t.test('events are the same in whatever pieces they come', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 12 }), (cuts) => {
      const events: StreamEvent[] = []
      const parse = createEventParser((event) => events.push(event))
      const places = [0, ...cuts.sort((one, other) => one - other), stream.length]
      for (const [at, place] of places.entries()) parse(stream.slice(place, places[at + 1]))
      return JSON.stringify(events) === JSON.stringify(expected)
    }),
  )
})

t.test('an event that has not ended is none', async (t) => {
  const events: StreamEvent[] = []
  createEventParser((event) => events.push(event))('id: 1\ndata: x\n')
  t.strictSame(events, [])
})
