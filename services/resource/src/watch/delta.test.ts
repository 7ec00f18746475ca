import { FlagState } from '@svc/proto/resource/v1/watch'
import t from 'tap'
import { type Delta, type Part, toMessages } from './delta.ts'

const flag = (key: string, bytes: number): Part => ({
  bytes,
  flags: [Buffer.from(FlagState.encode(FlagState.fromPartial({ flag: { key } })).finish())],
})

function delta(parts: readonly Part[], head: Partial<Delta> = {}): Delta {
  return { namespaceKey: 'n', fromRevision: 1, revision: 2, deleted: false, parts, ...head }
}

const shape = (parts: readonly Part[]) =>
  toMessages(delta(parts), 100).map(({ flags, more }) => [
    flags.map((encoded) => FlagState.decode(encoded).flag?.key).join(''),
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
  const parts = [
    flag('a', 1),
    { bytes: 1, deletedFlagKeys: ['f'] },
    { bytes: 1, deletedSegmentKeys: ['s'] },
    { bytes: 1, deletedFlagKeys: ['g'] },
  ]
  const [message, ...rest] = toMessages(delta(parts))
  t.strictSame(rest, [])
  t.match(message, { deletedFlagKeys: ['f', 'g'], deletedSegmentKeys: ['s'], segments: [] })
})

t.test('sends a message without content where that is news', async (t) => {
  t.match(toMessages(delta([])), [{ fromRevision: 1, revision: 2, flags: [], more: false }])
  t.match(toMessages(delta([], { fromRevision: 0, revision: 2 })), [{ fromRevision: 0 }])
  t.match(toMessages(delta([], { revision: 1, deleted: true })), [{ deleted: true }])
})

t.test('sends nothing where there is none', async (t) => {
  t.strictSame(toMessages(delta([], { revision: 1 })), [])
})
