import type { IncomingHttpHeaders } from 'node:http'
import { invalidField } from '@svc/runtime'

/** Says what the value of a variant flag is; answers vary with it. */
export const valueHeader = 'X-Svc-Value'

/**
 * Whether a request asks for attachments as the values of variant flags: `X-Svc-Value: attachment`.
 * Without the header, or with an empty one, they are the keys of variants.
 *
 * @throws {AppError} `invalid_argument` for any other value
 */
export function asksForAttachments(headers: IncomingHttpHeaders): boolean {
  const asked = headers['x-svc-value'] ?? ''
  if (asked === '') return false
  if (asked === 'attachment') return true
  throw invalidField(valueHeader, 'must be "attachment" or left out')
}
