import { findIgnored, type JsonObject, type Operation } from '@svc/contract'
import type { Logger } from '@svc/runtime'
import type { Exchange } from '../http/exchange.ts'

/**
 * Tells the caller which names in a body mean nothing, in `X-Svc-Ignored`, and the log at `debug`. They
 * are ignored, as the established interface has it, which hides a slip.
 */
export function noteIgnored(
  exchange: Exchange,
  { input }: Operation,
  body: JsonObject,
  log: Logger,
): void {
  const ignored = findIgnored(input, body)
  if (ignored === undefined) return
  exchange.setHeader('x-svc-ignored', ignored)
  const { id: requestId, route } = exchange.request
  log.debug({ ignored, route, requestId }, 'names in the body were ignored')
}
