import t from 'tap'
import type { FlagRecord, SegmentRecord } from '../records.ts'
import {
  booleanFlag,
  inAny,
  inOne,
  rule,
  segment,
  segmentRollout,
  threshold,
  variantFlag,
} from '../testing/records.ts'
import { maxExplanationBytes } from './budget.ts'
import { ExplanationTooLongError, explain } from './explain.ts'

const all = segment('all')

function explainFlag(flag: FlagRecord, entityId = 'user-42', segments: SegmentRecord[] = [all]) {
  const byKey = new Map(segments.map((one) => [one.key, one]))
  return explain({ namespaceKey: 'n', revision: 1, flag, segments: byKey, entityId, context: {} })
}

const inAll = inOne('all')
const gone = rule(1, inAll, [['gone', 100]])

const remarks: readonly (readonly [FlagRecord, string, readonly string[]])[] = [
  [booleanFlag('f', [], true), 'user-42', []],
  [booleanFlag('f', [threshold(1, 100)], true), 'user-42', []],
  [
    booleanFlag('f', [threshold(1, 0), threshold(2, 100)]),
    '',
    [
      "2: rollout 2 serves true in place of the flag's own state, false",
      '0: no targeting key: the entity is empty, and all that are have the same place',
    ],
  ],
  [
    booleanFlag('f', [segmentRollout(1, inAny('eu', 'all'))]),
    'user-42',
    ['1: segment "eu" does not exist: rollout 1 never matches'],
  ],
  [
    { ...variantFlag('f', [rule(1, inAll, [])], 'a'), enabled: false },
    'user-42',
    [
      '0: the flag is off: its rules are not tried',
      '1: rule 1 has no shares: it serves the default variant',
    ],
  ],
  [
    variantFlag(
      'f',
      [
        rule(1, inAll, [
          ['a', 33.33],
          ['b', 33.33],
        ]),
      ],
      'c',
    ),
    'user-42',
    ['1: the shares of rule 1 end at 66.66 %: 33.34 % fall beyond'],
  ],
  [
    variantFlag('f', [gone]),
    'user-42',
    [
      '0: the flag has no default variant: nothing is served',
      '1: rule 1 has a share of a variant that does not exist: the default is served there',
    ],
  ],
]

t.test('notes say what is remarkable, those about the flag first', async (t) => {
  for (const [flag, entityId, expected] of remarks) {
    const { notes } = explainFlag(flag, entityId)
    t.strictSame(
      notes.map(({ place, text }) => `${place}: ${text}`),
      expected,
    )
  }
})

const bytesOf = (explanation: object) => Buffer.byteLength(JSON.stringify(explanation))

/** A segment of which an explanation takes about as many megabytes. */
function largeSegment(megabytes: number): SegmentRecord {
  const value = 'ü'.repeat(256)
  const one = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'neq', value }
  const constraints = Array.from({ length: megabytes * 1500 }, () => one)
  return segment('large', constraints, 'ANY_MATCH_TYPE')
}

t.test('steps that were not reached are left out beyond 4 MiB', async (t) => {
  const rollouts = [1, 2, 3, 4, 5, 6].map((rank) => segmentRollout(rank, inAny('large', 'all')))
  const explanation = explainFlag(booleanFlag('f', rollouts), 'user-42', [all, largeSegment(1)])
  t.ok(bytesOf(explanation) <= maxExplanationBytes)
  t.equal(explanation.decidedBy, 1)
  const shown = explanation.steps.length
  t.ok(shown > 1 && shown < 6, `${shown} steps`)
  t.strictSame(explanation.notes.at(-1), {
    kind: 'STEPS_LEFT_OUT_NOTE',
    place: shown + 1,
    text: `an explanation has 4 MiB at most: ${6 - shown} from rollout ${shown + 1} on are left out`,
  })
})

t.test('an explanation with more than that on its way is refused', async (t) => {
  const tooLong = (flag: FlagRecord, entityId: string, segments: SegmentRecord[]) =>
    t.throws(() => explainFlag(flag, entityId, segments), ExplanationTooLongError)
  tooLong(booleanFlag('f', [segmentRollout(1, inOne('large'))]), 'a', [largeSegment(5)])
  tooLong(booleanFlag('f'), 'x'.repeat(maxExplanationBytes), [])
})

t.test('a long answer is left room by the steps that were not reached', async (t) => {
  const rules = [rule(1, inAll, [['a', 100]]), rule(2, inOne('large'), [['a', 100]])]
  const flag = variantFlag('f', rules, 'a')
  const attachment = `"${'x'.repeat(3 * 2 ** 20)}"`
  const variants = flag.variants.map((variant) => ({ ...variant, attachment }))
  const explanation = explainFlag({ ...flag, variants }, 'user-42', [all, largeSegment(2)])
  t.ok(bytesOf(explanation) <= maxExplanationBytes)
  t.equal(explanation.variant?.variantAttachment, attachment)
  t.strictSame([explanation.steps.length, explanation.decidedBy], [1, 1])
})
