import t from 'tap'
import { toPropagation } from './propagation.ts'

const gateway = (id: string, revision: number, ms?: number) => {
  return { id, version: '1.1.0', revision, seenMsAgo: 10, ...(ms !== undefined && { ms }) }
}

t.test('a revision is settled when all gateways have it or a later one', async (t) => {
  const positions = [gateway('a', 42, 7), gateway('b', 43, 41), gateway('c', 41, 90)]
  const propagation = toPropagation({ revision: 43, positions }, 42)
  t.strictSame(propagation, {
    revision: 42,
    gateways: 3,
    reached: 2,
    slowestMs: 41,
    settled: false,
    positions,
  })
  t.match(toPropagation({ revision: 43, positions }, 41), {
    reached: 3,
    slowestMs: 90,
    settled: true,
  })
})

t.test('without a revision it is about the present one', async (t) => {
  const positions = [gateway('a', 43), gateway('b', 0)]
  const expected = { revision: 43, gateways: 2, reached: 1, settled: false }
  t.match(toPropagation({ revision: 43, positions }), expected)
})

t.test('the slowest is left out when no time is known', async (t) => {
  const { slowestMs, settled } = toPropagation({ revision: 1, positions: [gateway('a', 1)] })
  t.strictSame([slowestMs, settled], [undefined, true])
})

t.test('nothing is settled without gateways', async (t) => {
  const expected = { gateways: 0, reached: 0, settled: false, positions: [] }
  t.match(toPropagation({ revision: 1, positions: [] }), expected)
})

t.test('a revision that the namespace has not had is refused', async (t) => {
  for (const [revision, message] of [
    [44, 'must be at most 43, which the namespace is at'],
    [1.5, 'must be a whole number'],
  ] as const) {
    t.throws(() => toPropagation({ revision: 43, positions: [] }, revision), {
      code: 'invalid_argument',
      message: new RegExp(message),
    })
  }
})
