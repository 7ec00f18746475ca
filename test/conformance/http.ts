import type { EvaluationVector } from '@svc/evaluation/testing'
import { call } from '../support/http.ts'
import { rightExplanation, withoutRevision } from './engine.ts'
import { type Outcome, oneByOne, pick, type Target } from './side.ts'

/** Evaluations in one batch. */
const batchSize = 500

export async function askEvaluate(
  target: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  return oneByOne(vectors, async ({ kind, request, expected }) => {
    const given = await post(target, `/evaluate/v1/${kind}`, request)
    return { given: pick(given, expected), right: expected }
  })
}

export async function askBatch(
  target: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (let start = 0; start < vectors.length; start += batchSize) {
    const some = vectors.slice(start, start + batchSize)
    const requests = some.map(({ request }) => request)
    const { responses } = (await post(target, '/evaluate/v1/batch', { requests })) as {
      readonly responses: readonly Readonly<Record<string, unknown>>[]
    }
    for (const [index, { kind, expected }] of some.entries()) {
      const given = responses[index]?.[`${kind}Response`]
      outcomes.push({ given: pick(given, expected), right: expected })
    }
  }
  return outcomes
}

export async function askExplainEndpoint(
  target: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  const rightOf = rightExplanation(target.documents)
  return oneByOne(vectors, async (vector) => {
    const given = await post(target, '/evaluate/v1/explain', vector.request)
    return { given: withoutRevision(given), right: rightOf(vector) }
  })
}

export async function askOfrep(
  target: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  return oneByOne(vectors, async (vector) => {
    const { namespaceKey, flagKey, entityId, context } = vector.request
    const body = { context: { ...context, targetingKey: entityId } }
    const headers = { 'x-svc-namespace': namespaceKey }
    const given = await post(target, `/ofrep/v1/evaluate/flags/${flagKey}`, body, headers)
    return { given, right: rightOfOfrep(vector) }
  })
}

export async function askOfrepBulk(
  target: Target,
  vectors: readonly EvaluationVector[],
): Promise<readonly Outcome[]> {
  return oneByOne(vectors, async (vector) => {
    const { namespaceKey, flagKey, entityId, context } = vector.request
    const body = { context: { ...context, targetingKey: entityId, flags: flagKey } }
    const headers = { 'x-svc-namespace': namespaceKey }
    const { flags } = (await post(target, '/ofrep/v1/evaluate/flags', body, headers)) as {
      readonly flags: readonly object[]
    }
    return { given: flags, right: [rightOfOfrep(vector)] }
  })
}

/** The reasons of OFREP, `docs/ofrep.md`. */
const ofrepReasons = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'UNKNOWN',
}

function rightOfOfrep({ kind, request, expected }: EvaluationVector): object {
  const head = { key: request.flagKey, reason: ofrepReasons[expected.reason] }
  if (kind === 'boolean') {
    const { enabled } = expected
    return { ...head, variant: String(enabled), value: enabled, metadata: {} }
  }
  const { variantKey, variantAttachment, segmentKeys } = expected
  return {
    ...head,
    variant: variantKey,
    ...(variantKey !== '' && { value: variantKey }),
    metadata: {
      ...(segmentKeys.length > 0 && { segments: segmentKeys.join() }),
      ...(variantAttachment !== '' && { attachment: variantAttachment }),
    },
  }
}

async function post(
  { url, token }: Target,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<object> {
  const authorization = `Bearer ${token}`
  const answer = await call(url, 'POST', path, body, { authorization, ...headers })
  return answer.status === 200
    ? (answer.body as object)
    : { status: answer.status, text: answer.text }
}
