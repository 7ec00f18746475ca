import { parseDuration } from '@svc/config'
import { invalidField } from '@svc/runtime'

/** Maximum overlap: a longer transition is better made with a second token. */
const longestMs = 30 * 24 * 3_600_000

/**
 * How long the previous secret is accepted beside the new one, in milliseconds; 0 for an empty text.
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
