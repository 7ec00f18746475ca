import t from 'tap'
import { evaluateBoolean } from './boolean-flag.ts'
import { toEntity } from './entity.ts'
import { FlagSet } from './flag-set.ts'
import type { FlagRecord } from './records.ts'
import { toRecords } from './testing/document.ts'
import { type EvaluationVector, readEvaluationVectors } from './testing/vectors.ts'
import { evaluateVariant } from './variant-flag.ts'

const { documents, vectors } = readEvaluationVectors()

t.test('every vector has its answer', async (t) => {
  const namespaces = load((flag) => flag)
  t.equal(vectors.length, 4000)
  t.strictSame(vectors.filter((vector) => !isRight(namespaces, vector)).slice(0, 5), [])
})

t.test('percentages that were kept in single precision make no difference', async (t) => {
  const namespaces = load(inSinglePrecision)
  t.strictSame(vectors.filter((vector) => !isRight(namespaces, vector)).slice(0, 5), [])
})

function load(change: (flag: FlagRecord) => FlagRecord): ReadonlyMap<string, FlagSet> {
  return new Map(
    documents.map((document) => {
      const { flags, segments } = toRecords(document)
      const set = new FlagSet()
      set.apply({
        flags: flags.map(change),
        segments,
        deletedFlagKeys: [],
        deletedSegmentKeys: [],
      })
      return [document.namespace.key, set]
    }),
  )
}

function isRight(namespaces: ReadonlyMap<string, FlagSet>, vector: EvaluationVector): boolean {
  const { namespaceKey, flagKey, entityId, context } = vector.request
  const flag = namespaces.get(namespaceKey)?.get(flagKey)
  if (flag?.type === 'BOOLEAN_FLAG_TYPE' && vector.kind === 'boolean') {
    return isSame(evaluateBoolean(flag, toEntity(entityId, context)), vector.expected)
  }
  if (flag?.type === 'VARIANT_FLAG_TYPE' && vector.kind === 'variant') {
    return isSame(evaluateVariant(flag, toEntity(entityId, context)), vector.expected)
  }
  return false
}

function isSame(answer: object, expected: object): boolean {
  return text(answer) === text(expected)
}

function text(answer: object): string {
  return JSON.stringify(Object.entries(answer).sort())
}

function inSinglePrecision(flag: FlagRecord): FlagRecord {
  return {
    ...flag,
    rules: flag.rules.map((rule) => ({
      ...rule,
      distributions: rule.distributions.map(({ variantId, rollout }) => ({
        variantId,
        rollout: Math.fround(rollout),
      })),
    })),
    rollouts: flag.rollouts.map(({ rank, segment, threshold }) => ({
      rank,
      segment,
      threshold: threshold && {
        percentage: Math.fround(threshold.percentage),
        value: threshold.value,
      },
    })),
  }
}
