import type { Exchange } from '../http/exchange.ts'
import type { Replica } from './replica.ts'

/**
 * Says in `X-Svc-Data-Age` how old an answer from memory may be, in seconds. The header is left out
 * while changes reach this gateway, or none ever did.
 */
export function setDataAge(exchange: Pick<Exchange, 'setHeader'>, replica: Replica): void {
  const { isCurrent, ageMs } = replica
  if (isCurrent || !Number.isFinite(ageMs)) return
  exchange.setHeader('x-svc-data-age', String(Math.ceil(ageMs / 1000)))
}
