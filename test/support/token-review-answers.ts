import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** `admitted`, `refused`, or `unknown` when the answer says neither. */
export type Outcome = 'admitted' | 'refused' | 'unknown'

export interface ReviewAnswer {
  readonly what: string
  readonly code: number
  /** Sent as JSON, unless it is a text. */
  readonly body: unknown
  readonly outcome: Outcome
}

/** An answer as the file has it. */
interface Listed extends Partial<ReviewAnswer> {
  readonly spec?: object
  readonly status?: unknown
  readonly padding?: number
}

const file = new URL('../../fixtures/token-reviews.yml', import.meta.url)
const lists = parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 }) as Record<
  string,
  Listed[]
>

/** As a kube-apiserver answered, asked with all kinds of tokens, audiences and callers. */
export const recordedAnswers = lists.recorded?.map(toAnswer) ?? []

/** Others that could come, of servers that are old, odd, broken or not what they seem. */
export const furtherAnswers = lists.further?.map(toAnswer) ?? []

function toAnswer(listed: Listed): ReviewAnswer {
  const { what = '', code = 201, outcome = 'unknown', status, padding = 0 } = listed
  const { spec = { audiences: ['flags'] } } = listed
  const review = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec, status }
  const { body = { ...review, metadata: {}, padding: ' '.repeat(padding) } } = listed
  return { what, code, body, outcome }
}
