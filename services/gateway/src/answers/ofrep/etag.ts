import { hash } from 'node:crypto'
import type { Context } from '@svc/evaluation'

/** To be counted on when the same flags and the same context come to be answered differently. */
const form = 2

/**
 * The tag, without quotes, of an answer to a bulk evaluation, made of all that decides the answer and without making it:
 * the state of the namespace, the context in any order, where it says changes can be heard of, and
 * whether values are attachments.
 */
export function etagOf(
  namespaceKey: string,
  revision: number,
  context: Context,
  eventsUri: string | undefined,
  asAttachment = false,
): string {
  const known = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify([form, namespaceKey, revision, eventsUri, asAttachment, known])
  return hash('sha256', text, 'base64url')
}
