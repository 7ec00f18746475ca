import { invalidField } from '@svc/runtime'
import type { Exchange } from '../../http/exchange.ts'

/** Maximum size of a comment, in bytes. */
const maxBytes = 4096

/** What the log of changes keeps of a request besides its caller. Nothing vouches for it. */
export function originOf(exchange: Pick<Exchange, 'address' | 'request'>) {
  const { id, raw } = exchange.request
  const comment = raw.headers['x-svc-comment']
  return {
    'svc-request-id': id,
    'svc-client-address': exchange.address,
    ...(comment !== undefined && { 'svc-comment-bin': readComment(String(comment)) }),
  }
}

/** @throws {AppError} `invalid_argument` */
function readComment(header: string): string {
  const comment = decode(header)
  if (comment !== undefined && Buffer.byteLength(comment) <= maxBytes) return comment
  throw invalidField('X-Svc-Comment', `must be percent-encoded UTF-8 of at most ${maxBytes} bytes`)
}

/** A header has no characters but those of ASCII that all programs agree on. */
function decode(header: string): string | undefined {
  if (!/^[\x20-\x7e]*$/.test(header)) return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}
