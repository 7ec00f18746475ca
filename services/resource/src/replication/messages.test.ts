import type { Segment } from '@svc/proto/resource/v1/segments'
import t from 'tap'
import type { EncodedFlag } from './flag-states.ts'
import { type Content, toMessages, toSent } from './messages.ts'

/** A flag that takes so many bytes of a message. */
function flag(key: string, bytes: number): EncodedFlag {
  return { key, revision: 2, state: Buffer.alloc(bytes - 5, key) }
}

function content(flags: readonly EncodedFlag[], more: Partial<Content> = {}): Content {
  const head = { namespaceKey: 'n', fromRevision: 1, revision: 2, changedAtMs: null }
  return { ...head, flags, segments: [], tombstones: [], ...more }
}

const shape = (flags: readonly EncodedFlag[]) =>
  [...toMessages(content(flags), 100)].map(({ flags, more }) => [
    flags.map((state) => state.toString('latin1', 0, 1)).join(''),
    more,
  ])

t.test(
  'fills messages as far as they go, and says of all but the last that there is more',
  async (t) => {
    t.strictSame(shape([flag('a', 50), flag('b', 50)]), [['ab', false]])
    t.strictSame(shape([flag('a', 50), flag('b', 51)]), [
      ['a', true],
      ['b', false],
    ])
    t.strictSame(shape([flag('a', 40), flag('b', 40), flag('c', 40), flag('d', 10)]), [
      ['ab', true],
      ['cd', false],
    ])
  },
)

t.test('sends what is too large for a message in one of its own', async (t) => {
  t.strictSame(shape([flag('a', 10), flag('b', 500), flag('c', 10)]), [
    ['a', true],
    ['b', true],
    ['c', false],
  ])
})

t.test('sends each part in its own field', async (t) => {
  const segment = { key: 's' } as Segment
  const tombstones = [
    { kind: 'flag', key: 'f', revision: 2 },
    { kind: 'segment', key: 'r', revision: 2 },
    { kind: 'flag', key: 'g', revision: 2 },
  ] as const
  const segments = [{ revision: 2, segment, bytes: 3 }]
  const [message, ...rest] = toMessages(content([flag('a', 10)], { segments, tombstones }))
  t.strictSame(rest, [])
  t.strictSame(message?.segments, [segment])
  t.match(message, {
    flags: { length: 1 },
    deletedFlagKeys: ['f', 'g'],
    deletedSegmentKeys: ['r'],
  })
})

t.test('sends one message at least', async (t) => {
  t.match([...toMessages(content([]))], [{ fromRevision: 1, revision: 2, flags: [], more: false }])
})

t.test(
  'is sent with its age, never less than none, and without one when none is known',
  async (t) => {
    const sentAt = (changedAtMs: number | null, nowMs: number) =>
      [...toMessages(content([], { changedAtMs }))].map((change) => toSent(change, nowMs))
    t.match(sentAt(1000, 1041.4), [{ revision: 2, committedMsAgo: 41 }])
    t.match(sentAt(1000, 990), [{ committedMsAgo: 0 }], 'clocks are read with an error')
    const [unknown = {}] = sentAt(null, 1041)
    t.notOk('committedMsAgo' in unknown)
    t.notOk('changedAtMs' in unknown)
  },
)
