import { parseDuration } from '@svc/config'
import { invalidField } from '@svc/runtime'

/** Who needs longer to put a new secret everywhere had better make another token. */
const longestMs = 30 * 24 * 3_600_000

/**
 * How long the secret before is accepted beside the new one, in milliseconds; not at all when the text
 * is empty.
 *
 * @throws {AppError} `invalid_argument`
 */
export function parseOverlap(overlap: string): number {
  const ms = overlap === '' ? 0 : parseDuration(overlap)
  if (ms === undefined || ms > longestMs) {
    throw invalidField('overlap', 'must be a duration such as 24h, at most 720h')
  }
  return Math.round(ms)
}
