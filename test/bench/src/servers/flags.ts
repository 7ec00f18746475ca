import type { VectorDocument } from '@svc/evaluation/testing'

const segmentKey = 'adults-on-pro'

/** Boolean flags of the usual kind: for a segment of two constraints, and for half of the others. */
export function toDocument(flagKeys: readonly string[]): VectorDocument {
  return {
    version: '1.5',
    namespace: { key: 'default', name: 'Default' },
    flags: flagKeys.map((key) => ({
      key,
      name: key,
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      rollouts: [
        { segment: { key: segmentKey, value: true } },
        { threshold: { percentage: 50, value: true } },
      ],
    })),
    segments: [
      {
        key: segmentKey,
        name: 'Adults on pro',
        match_type: 'ALL_MATCH_TYPE',
        constraints: [
          { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' },
          { type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator: 'gte', value: '18' },
        ],
      },
    ],
  }
}

/** A question about a flag, as the evaluation endpoints take it. */
export interface FlagQuestion {
  readonly namespaceKey: string
  readonly flagKey: string
  readonly entityId: string
  readonly context: Readonly<Record<string, string>>
}

/** Another entity for each number: a third of them are in the segment. */
export function toQuestion(flagKey: string, number: number): FlagQuestion {
  return {
    namespaceKey: 'default',
    flagKey,
    entityId: `user-${number}`,
    context: {
      plan: number % 3 === 1 ? 'free' : 'pro',
      age: String(number % 3 === 2 ? 17 : 18 + (number % 60)),
      country: 'NO',
      version: '4.2.0',
    },
  }
}

/** What the endpoints say for a boolean flag. */
interface BooleanAnswer {
  readonly flagKey: string
  readonly enabled: boolean
  readonly reason: string
  readonly segmentKeys: readonly string[]
}

/** What OFREP says for one. */
interface OfrepAnswer {
  readonly key: string
  readonly value: boolean
  readonly reason: string
}

/** @throws {Error} when that cannot be the answer to the question */
export function checkAnswer(question: FlagQuestion, answer: BooleanAnswer): void {
  const { flagKey, enabled, reason, segmentKeys } = answer
  const isRight =
    flagKey === question.flagKey &&
    segmentKeys.length === (isInSegment(question) ? 1 : 0) &&
    enabled === (reason === 'MATCH_EVALUATION_REASON') &&
    (enabled || !isInSegment(question))
  if (!isRight) throw wrong(question, answer)
}

/** @throws {Error} when that cannot be the answer to the question */
export function checkOfrepAnswer(question: FlagQuestion, answer: OfrepAnswer): void {
  const { key, value, reason } = answer
  const isRight =
    key === question.flagKey &&
    value === (reason === 'TARGETING_MATCH') &&
    (value || !isInSegment(question))
  if (!isRight) throw wrong(question, answer)
}

/** Whether the entity of a question is in the segment of the flags. */
export function isInSegment({ context }: FlagQuestion): boolean {
  return context.plan === 'pro' && Number(context.age) >= 18
}

function wrong({ flagKey }: FlagQuestion, answer: object): Error {
  return new Error(`a wrong answer for ${flagKey}: ${JSON.stringify(answer)}`)
}
