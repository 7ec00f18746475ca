import { evaluateBoolean, evaluateVariant, FlagSet, toEntity } from '@svc/evaluation'
import { type Explanation, explain } from '@svc/evaluation/explain'
import { type EvaluationVector, toRecords, type VectorDocument } from '@svc/evaluation/testing'
import type { Outcome, Target } from './side.ts'

export async function askEngine(
  { documents }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const sets = new Map(documents.map((document) => [document.namespace.key, flagSetOf(document)]))
  return vectors.map(({ request, expected }) => {
    const { namespaceKey, flagKey, entityId, context } = request
    const flag = sets.get(namespaceKey)?.get(flagKey)
    const entity = toEntity(entityId, context)
    const given =
      flag?.type === 'BOOLEAN_FLAG_TYPE'
        ? evaluateBoolean(flag, entity)
        : flag && evaluateVariant(flag, entity)
    return { given, right: expected }
  })
}

export async function askExplain(
  { documents }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const explainOf = explainer(documents)
  return vectors.map((vector) => {
    const { boolean, variant, reason, segmentKeys } = explainOf(vector)
    return { given: { ...boolean, ...variant, reason, segmentKeys }, right: vector.expected }
  })
}

/**
 * What every explanation has to be: what the engine explains of the document, with the answer of
 * the vector. Without the revision, which the documents do not have.
 */
export function rightExplanation(
  documents: readonly VectorDocument[],
): (vector: EvaluationVector) => object {
  const explainOf = explainer(documents)
  return (vector) => {
    const { reason, segmentKeys, ...answer } = vector.expected
    const { kind } = vector
    return withoutRevision({ ...explainOf(vector), [kind]: answer, reason, segmentKeys })
  }
}

export function withoutRevision(explanation: object): object {
  const { revision: _, ...others } = explanation as { readonly revision?: unknown }
  return others
}

function explainer(documents: readonly VectorDocument[]) {
  const namespaces = new Map(
    documents.map((document) => {
      const { flags, segments } = toRecords(document)
      const byKey = {
        flags: new Map(flags.map((flag) => [flag.key, flag])),
        segments: new Map(segments.map((segment) => [segment.key, segment])),
      }
      return [document.namespace.key, byKey]
    }),
  )
  return ({ request }: EvaluationVector): Explanation => {
    const { namespaceKey, flagKey, entityId, context } = request
    const namespace = namespaces.get(namespaceKey)
    const flag = namespace?.flags.get(flagKey)
    if (namespace === undefined || flag === undefined) throw new Error(`${flagKey} is not there`)
    const { segments } = namespace
    return explain({ namespaceKey, revision: 0, flag, segments, entityId, context })
  }
}

function flagSetOf(document: VectorDocument): FlagSet {
  const set = new FlagSet()
  set.apply({ ...toRecords(document), deletedFlagKeys: [], deletedSegmentKeys: [] })
  return set
}
