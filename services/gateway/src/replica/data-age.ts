import type { Exchange } from '../http/exchange.ts'
import type { Replica } from './replica.ts'

/**
 * How old an answer from memory may be, in seconds, for `X-Svc-Data-Age`.
 *
 * @returns `undefined` while changes reach this gateway, or none ever did: the header is left out
 */
export function dataAgeOf(replica: Replica): string | undefined {
  if (replica.isCurrent) return undefined
  const { ageMs } = replica
  return Number.isFinite(ageMs) ? String(Math.ceil(ageMs / 1000)) : undefined
}

export function setDataAge(exchange: Exchange, replica: Replica): void {
  const age = dataAgeOf(replica)
  if (age !== undefined) exchange.setHeader('x-svc-data-age', age)
}
