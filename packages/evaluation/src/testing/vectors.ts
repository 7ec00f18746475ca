import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { BooleanEvaluation } from '../boolean-flag.ts'
import type { VariantEvaluation } from '../variant-flag.ts'
import type { VectorDocument } from './document.ts'

export {
  attachmentText,
  type DocumentFlag,
  type DocumentRollout,
  type DocumentRule,
  type DocumentSegment,
  toRecords,
  type VectorDocument,
} from './document.ts'
export { type RandomCase, randomCases } from './random-cases.ts'

/** An evaluation and its one right answer. */
export type EvaluationVector = { readonly request: VectorRequest } & (
  | { readonly kind: 'boolean'; readonly expected: BooleanEvaluation }
  | { readonly kind: 'variant'; readonly expected: VariantEvaluation }
)

export interface VectorRequest {
  readonly namespaceKey: string
  readonly flagKey: string
  readonly entityId: string
  readonly context: Readonly<Record<string, string>>
}

export interface EvaluationVectors {
  /** One a namespace. Creating their content in the order of the lists gives the flags meant. */
  readonly documents: readonly VectorDocument[]
  /** 4,000, in no order. */
  readonly vectors: readonly EvaluationVector[]
}

const file = new URL('../../test-data/vectors.json.gz', import.meta.url)

/** The definition of correct evaluation, as data. */
export function readEvaluationVectors(): EvaluationVectors {
  return JSON.parse(gunzipSync(readFileSync(file)).toString())
}
