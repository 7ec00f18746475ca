import { connect, type Evaluation, type Flags } from '@svc/client'
import type { EvaluationVector } from '@svc/evaluation/testing'
import { rightExplanation, withoutRevision } from './engine.ts'
import { byNamespace, type Outcome, type Target } from './side.ts'

export async function askLocalClient(
  { url, token }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  return byNamespace(vectors, async (namespace, some) => {
    const flags = await connect({ url, namespace, credential: { token } })
    try {
      return some.map((vector) => {
        const { entityId, context } = vector.request
        return {
          given: answersOf(flags, vector, { entityId, context }),
          right: rightAnswers(vector, vector.expected.segmentKeys),
        }
      })
    } finally {
      await flags.close()
    }
  })
}

export async function askRemoteClient(
  { url, token }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  return byNamespace(vectors, async (namespace, some) => {
    const flags = await connect({ url, namespace, credential: { token }, mode: 'remote' })
    const outcomes: Outcome[] = []
    try {
      for (const vector of some) {
        const { entityId, context } = vector.request
        await flags.setContext({ entityId, context })
        // OFREP has the segments of variant flags only.
        const segmentKeys = vector.kind === 'variant' ? vector.expected.segmentKeys : []
        outcomes.push({
          given: answersOf(flags, vector),
          right: rightAnswers(vector, segmentKeys),
        })
      }
      return outcomes
    } finally {
      await flags.close()
    }
  })
}

export async function askLocalExplain(
  { url, token, documents }: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const rightOf = rightExplanation(documents)
  return byNamespace(vectors, async (namespace, some) => {
    const flags = await connect({ url, namespace, credential: { token } })
    try {
      return await Promise.all(
        some.map(async (vector) => {
          const { flagKey, entityId, context } = vector.request
          const given = await flags.explain(flagKey, { entityId, context })
          return { given: withoutRevision(given), right: rightOf(vector) }
        }),
      )
    } finally {
      await flags.close()
    }
  })
}

/** No flag serves it. */
const fallback = 'the fallback'

/** By all questions of the client. */
function answersOf(
  flags: Flags,
  { kind, request: { flagKey }, expected }: EvaluationVector,
  subject?: Parameters<Flags['evaluate']>[1],
): object {
  const { value, variantKey, attachment, reason, segmentKeys, error } = flags.evaluate(
    flagKey,
    subject,
  )
  const evaluation = { value, variantKey, attachment, reason, segmentKeys, error }
  return kind === 'boolean'
    ? { evaluation, boolean: flags.boolean(flagKey, subject, !expected.enabled) }
    : {
        evaluation,
        variant: flags.variant(flagKey, subject, fallback),
        attachment: flags.attachment<unknown>(flagKey, subject, fallback),
      }
}

const reasons: Readonly<Record<EvaluationVector['expected']['reason'], Evaluation['reason']>> = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'UNKNOWN',
}

function rightAnswers(
  { kind, expected }: EvaluationVector,
  segmentKeys: readonly string[],
): object {
  const reason = reasons[expected.reason]
  if (kind === 'boolean') {
    const { enabled } = expected
    const evaluation = { value: enabled, variantKey: '', reason, segmentKeys }
    return { evaluation, boolean: enabled }
  }
  const { variantKey, variantAttachment } = expected
  const value = variantKey === '' ? undefined : variantKey
  const attachment = variantAttachment === '' ? undefined : JSON.parse(variantAttachment)
  return {
    evaluation: { value, variantKey, attachment, reason, segmentKeys },
    variant: value ?? fallback,
    attachment: attachment === undefined ? fallback : attachment,
  }
}
