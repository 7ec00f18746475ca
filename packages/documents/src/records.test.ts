import { evaluateBoolean, evaluateVariant, FlagSet, toEntity } from '@svc/evaluation'
import {
  attachmentText,
  type DocumentFlag,
  type DocumentRule,
  type EvaluationVector,
  readEvaluationVectors,
  type VectorDocument,
} from '@svc/evaluation/testing'
import t from 'tap'
import { canonicalText } from './canonical.ts'
import { readDocument, toDocument } from './reading.ts'
import { toFlagRecord, toSegmentRecord } from './records.ts'

const { documents, vectors } = readEvaluationVectors()

/** A flag of the vectors as a document, which went through its canonical text. */
function toFlag({ variants = [], rules = [], rollouts = [], ...flag }: DocumentFlag) {
  const document = toDocument('flag', {
    ...flag,
    variants: variants.map((variant) => ({ ...variant, attachment: attachmentText(variant) })),
    rules: rules.map(({ segment, distributions }) => ({ ...toSegments(segment), distributions })),
    rollouts: rollouts.map(({ segment, threshold }) => ({
      threshold,
      segment: segment && {
        ...toSegments('keys' in segment ? segment : segment.key),
        value: segment.value,
      },
    })),
  })
  return readDocument('flag', canonicalText('flag', document))
}

function toSegments(segment: DocumentRule['segment']) {
  return typeof segment === 'string'
    ? { segments: [segment] }
    : { segments: segment.keys, operator: segment.operator }
}

function load({ flags, segments }: VectorDocument): FlagSet {
  const set = new FlagSet()
  set.apply({
    flags: flags.map((flag) => toFlagRecord(toFlag(flag))),
    segments: segments.map(({ match_type: matchType, ...segment }) =>
      toSegmentRecord(toDocument('segment', { ...segment, matchType })),
    ),
    deletedFlagKeys: [],
    deletedSegmentKeys: [],
  })
  return set
}

const namespaces = new Map(documents.map((document) => [document.namespace.key, load(document)]))

function answer({ request }: EvaluationVector): object | undefined {
  const flag = namespaces.get(request.namespaceKey)?.get(request.flagKey)
  const entity = toEntity(request.entityId, request.context)
  if (flag === undefined) return undefined
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(flag, entity)
    : evaluateVariant(flag, entity)
}

t.test('every vector has its answer by way of documents', async (t) => {
  t.equal(vectors.length, 4000)
  const wrong = vectors.filter(
    (vector) => JSON.stringify(sorted(answer(vector))) !== JSON.stringify(sorted(vector.expected)),
  )
  t.strictSame(wrong.slice(0, 5), [])
})

function sorted(answer: object = {}): unknown {
  return Object.entries(answer).sort()
}

t.test('a draft whose variants have no ids yet is evaluated', async (t) => {
  const draft = toDocument('flag', {
    key: 'theme',
    enabled: true,
    variants: [{ key: 'blue' }, { key: 'red', default: true }],
    rules: [{ segments: ['all'], distributions: [{ variant: 'gone', rollout: 100 }] }],
  })
  const set = new FlagSet()
  const segment = toDocument('segment', { key: 'all' })
  const evaluate = () => {
    const flag = set.get('theme')
    return flag?.type === 'VARIANT_FLAG_TYPE' && evaluateVariant(flag, toEntity('', {}))
  }
  const none = { deletedFlagKeys: [], deletedSegmentKeys: [] }
  set.apply({ flags: [toFlagRecord(draft)], segments: [], ...none })
  t.match(evaluate(), { variantKey: 'red', reason: 'DEFAULT_EVALUATION_REASON' })
  set.apply({ flags: [], segments: [toSegmentRecord(segment)], ...none })
  t.match(evaluate(), { variantKey: 'red' }, 'a variant that is not there serves nothing')
})

t.test('percentages are those that are stored', async (t) => {
  // Between two places as a decimal, and below the upper one as a 32-bit float.
  const share = 83.14795
  const flag = toDocument('flag', {
    key: 'theme',
    variants: [{ key: 'blue' }],
    rules: [{ segments: ['all'], distributions: [{ variant: 'blue', rollout: share }] }],
    rollouts: [{ threshold: { percentage: share, value: true } }],
  })
  const { rules, rollouts } = toFlagRecord(flag)
  t.equal(rules[0]?.distributions[0]?.rollout, Math.fround(share))
  t.equal(rollouts[0]?.threshold?.percentage, Math.fround(share))
})
