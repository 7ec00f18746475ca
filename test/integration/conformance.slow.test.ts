import type { EvaluationVector } from '@svc/evaluation/testing'
import t from 'tap'
import { isConformant, judge, type Result, toTable } from '../conformance/report.ts'
import { runConformance } from '../conformance/run.ts'
import { sides } from '../conformance/sides.ts'

/** A small share of `pnpm conformance`: the vectors of every 16th flag. */
const share = 16

t.test('every side gives the answers of the vectors', async (t) => {
  const results = await runConformance(t, sides, share, ({ name, asked, right, wrong }) => {
    t.ok(asked >= 200, `${name}: ${asked} vectors`)
    t.equal(right, asked, [name, ...wrong].join('\n'))
  })
  t.strictSame(
    results.map(({ name }) => name),
    sides.map(({ name }) => name),
  )
})

const vectors = ['a', 'b'].map((flagKey): EvaluationVector => {
  const request = { namespaceKey: 'default', flagKey, entityId: 'e', context: {} }
  const expected = { enabled: true, reason: 'DEFAULT_EVALUATION_REASON', segmentKeys: [] } as const
  return { kind: 'boolean', request, expected }
})
const right = { given: { a: 1, b: 2 }, right: { b: 2, a: 1 } }

t.test('what differs, and what was not answered, is wrong', async (t) => {
  const ofOutcomes = (...outcomes: Parameters<typeof judge>[2]) =>
    judge('side', vectors, outcomes, 0)
  t.match(ofOutcomes(right, right), { asked: 2, right: 2, wrong: [] })
  t.match(ofOutcomes(right), { asked: 2, right: 1, wrong: [/"flagKey":"b"/] })
  t.match(ofOutcomes(right, { given: { a: 1 }, right: { a: 1, b: 2 } }), { right: 1 })
  t.match(ofOutcomes(right, { given: { a: 1, b: 2 }, right: { a: 1 } }), { right: 1 })
  t.match(ofOutcomes(right, { given: undefined, right: null }), { right: 1 })
})

t.test('anything below all is not conformant, nor is nothing', async (t) => {
  const result = (asked: number, right: number): Result => ({
    ...{ name: 'side', asked, right, wrong: [], ms: 1234 },
  })
  t.equal(isConformant([result(9, 9), result(1, 1)]), true)
  t.equal(isConformant([result(9, 9), result(9, 8)]), false)
  t.equal(isConformant([result(0, 0)]), false)
  t.equal(isConformant([]), false)
  t.equal(
    toTable([result(4000, 4000), result(40_000, 39_999)]),
    [
      'side  asked  right    share   took',
      'side   4000   4000    100 %  1.2 s',
      'side  40000  39999  99.99 %  1.2 s',
    ].join('\n'),
  )
})
