import { toContext } from '@svc/evaluation'
import { type Explanation, explain } from '@svc/evaluation/explain'
import { compactAttachment } from './attachment.ts'
import { toDocument } from './reading.ts'
import { toFlagRecord, toSegmentRecord } from './records.ts'

export { ExplanationTooLongError } from '@svc/evaluation/explain'
export type { Explanation }

export interface DocumentQuestion {
  readonly namespaceKey: string
  /** Of the namespace; 0 for what is not stored. */
  readonly revision: number
  /** A flag document, also one as it would be sent to be stored. */
  readonly flag: object
  /** Documents of the segments that the flag refers to; more do no harm. */
  readonly segments: readonly object[]
  readonly entityId: string
  /** Values of any JSON type, as a request may have them. */
  readonly context: Readonly<Record<string, unknown>>
}

/**
 * Tells what a flag would serve to an entity if it were stored as it is here, and why. The service says
 * the same once it is stored, to the byte, but for the revision.
 *
 * @throws {DocumentError} for what is no document
 * @throws {ExplanationTooLongError} when what is on the way to the answer takes more than 4 MiB
 */
export function explainDocument(question: DocumentQuestion): Explanation {
  const { flag, segments, context, ...rest } = question
  const records = segments.map((segment) => toSegmentRecord(toDocument('segment', segment)))
  const record = toFlagRecord(toDocument('flag', flag))
  // What is no JSON cannot be stored, and is shown as it is.
  const variants = record.variants.map((variant) => ({
    ...variant,
    attachment: compactAttachment(variant.attachment)?.text ?? variant.attachment,
  }))
  return explain({
    ...rest,
    flag: { ...record, variants },
    segments: new Map(records.map((record) => [record.key, record])),
    context: toContext(context),
  })
}
