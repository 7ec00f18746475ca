import t from 'tap'
import { evaluateBoolean } from '../boolean-flag.ts'
import { type Context, toEntity } from '../entity.ts'
import { FlagSet } from '../flag-set.ts'
import type { FlagRecord, SegmentRecord } from '../records.ts'
import { toRecords } from '../testing/document.ts'
import { randomCases } from '../testing/random-cases.ts'
import { readEvaluationVectors } from '../testing/vectors.ts'
import { evaluateVariant } from '../variant-flag.ts'
import { type Explanation, explain } from './explain.ts'

function explainCase(
  flag: FlagRecord,
  segments: readonly SegmentRecord[],
  entityId: string,
  context: Context,
): Explanation {
  const byKey = new Map(segments.map((segment) => [segment.key, segment]))
  return explain({ namespaceKey: 'n', revision: 7, flag, segments: byKey, entityId, context })
}

function evaluate(set: FlagSet, flagKey: string, entityId: string, context: Context): object {
  const flag = set.get(flagKey)
  const entity = toEntity(entityId, context)
  if (flag === undefined) throw new Error('no such flag')
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(flag, entity)
    : evaluateVariant(flag, entity)
}

/** What an evaluation answers, of an explanation. */
function answerOf({ boolean, variant, reason, segmentKeys }: Explanation): object {
  return { ...boolean, ...variant, reason, segmentKeys }
}

const sorted = (answer: object) => JSON.stringify(Object.entries(answer).sort())

/** An explanation that does not agree with itself, in words. */
function contradictionIn({ steps, decidedBy, reason, segmentKeys, ...rest }: Explanation) {
  const decider = steps[decidedBy - 1]
  const reached = steps.filter(({ verdict }) => verdict !== 'NOT_REACHED_VERDICT')
  if (steps.some(({ place }, index) => place !== index + 1)) return 'places'
  if (reached.some(({ place }, index) => place !== index + 1)) return 'reached after not reached'
  if (decidedBy > 0 && reached.length !== decidedBy) return 'reached after the decision'
  if ((reason === 'MATCH_EVALUATION_REASON') !== (decider?.verdict === 'MATCHED_VERDICT'))
    return 'reason'
  const { boolean, variant } = rest
  const served = boolean ? String(boolean.enabled) : variant?.variantKey
  if (decider !== undefined && decider.serves !== served) return 'serves'
  const known = new Set(decider?.segments.filter(({ member }) => member).map(({ key }) => key))
  if (segmentKeys.some((key) => !known.has(key))) return 'segments'
  for (const { constraints, member, exists, matchType } of steps.flatMap((step) => step.segments)) {
    if (!exists && (member || constraints.length > 0)) return 'a segment that does not exist'
    const decisive = constraints.filter((one) => one.decisive)
    if (constraints.length > 0 && decisive.length === 0) return 'nothing decisive'
    const settles = member === (matchType === 'ANY_MATCH_TYPE')
    if (!settles && decisive.length !== constraints.length) return 'decisive'
    if (decisive.some(({ holds }) => holds !== member)) return 'decisive'
  }
  return undefined
}

t.test('every vector is explained as it is evaluated, twice with the same bytes', async (t) => {
  const { documents, vectors } = readEvaluationVectors()
  const namespaces = new Map(
    documents.map((document) => {
      const { flags, segments } = toRecords(document)
      return [document.namespace.key, { flags: Map.groupBy(flags, ({ key }) => key), segments }]
    }),
  )
  const wrong = vectors.filter(({ request, expected }) => {
    const { namespaceKey, flagKey, entityId, context } = request
    const { flags, segments } = namespaces.get(namespaceKey) ?? {}
    const [flag] = flags?.get(flagKey) ?? []
    if (flag === undefined || segments === undefined) return true
    const [one, two] = [1, 2].map(() => explainCase(flag, segments, entityId, context))
    if (one === undefined || contradictionIn(one) !== undefined) return true
    return sorted(answerOf(one)) !== sorted(expected) || JSON.stringify(one) !== JSON.stringify(two)
  })
  t.equal(vectors.length, 4000)
  t.strictSame(wrong.slice(0, 3), [])
})

t.test('10,000 random cases are explained as they are evaluated', async (t) => {
  const seed = Number(process.env.FUZZ_SEED ?? 20_261_124)
  t.comment(`FUZZ_SEED=${seed}`)
  const seen = new Set<string>()
  const wrong = randomCases(10_000, seed).flatMap(({ flag, segments, entityId, context }) => {
    const set = new FlagSet()
    set.apply({ flags: [flag], segments, deletedFlagKeys: [], deletedSegmentKeys: [] })
    const expected = evaluate(set, flag.key, entityId, context)
    const explanation = explainCase(flag, segments, entityId, context)
    const text = JSON.stringify(explanation)
    const again = JSON.stringify(explainCase(flag, segments, entityId, context))
    for (const [name] of text.matchAll(/\w+_(VERDICT|CAUSE|NOTE|REASON)\b/g)) seen.add(name)
    const contradiction = contradictionIn(explanation)
    const isRight = sorted(answerOf(explanation)) === sorted(expected) && text === again
    return isRight && contradiction === undefined ? [] : [{ contradiction, expected, explanation }]
  })
  t.strictSame(wrong.slice(0, 2), [])
  // All but the note on a length that none of them has: every branch was met.
  t.equal(seen.size, 4 + 5 + 8 + 4, [...seen].sort().join(' '))
})
