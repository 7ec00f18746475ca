import { compactAttachment } from '@svc/documents'
import { invalidField } from '@svc/runtime'

/** The "1000 KB" of the established interface, counted as it is stored. */
const maxBytes = 1_024_000

/** Maximum depth: enough for any configuration, and harmless to a recursive parser. */
const maxDepth = 64

/**
 * The JSON text of an attachment as it is stored; empty when there is none.
 *
 * @throws {AppError} when it is no JSON, too deep or too long
 */
export function toAttachment(text: string): string {
  if (text === '') return ''
  const attachment = compactAttachment(text)
  if (attachment === undefined) throw invalidField('attachment', 'must be a json string')
  if (attachment.depth > maxDepth) {
    throw invalidField('attachment', `must not be nested deeper than ${maxDepth} levels`)
  }
  if (Buffer.byteLength(attachment.text) > maxBytes) {
    throw invalidField('attachment', 'must be less than 1000 KB')
  }
  return attachment.text
}
