import type { DescMessage } from '@bufbuild/protobuf'
import { findIgnored, type JsonObject } from '@svc/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Tells the caller which names in a body mean nothing, in `X-Svc-Ignored`, and the log at `debug`. They
 * are ignored, as the established interface has it, which hides a slip.
 */
export function noteIgnored(
  { log, id: requestId, routeOptions: { url: route } }: FastifyRequest,
  reply: FastifyReply,
  message: DescMessage,
  body: JsonObject,
): void {
  const ignored = findIgnored(message, body)
  if (ignored === undefined) return
  reply.header('x-svc-ignored', ignored)
  log.debug({ ignored, route, requestId }, 'names in the body were ignored')
}
