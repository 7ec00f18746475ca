import type { FastifyReply } from 'fastify'
import type { Replica } from './replica.ts'

/**
 * Says with an answer from memory how old it may be, in seconds, as `X-Svc-Data-Age`. While changes
 * reach this gateway there is nothing to say, and the header is left out.
 */
export function setDataAge(reply: FastifyReply, replica: Replica): void {
  if (!replica.isCurrent) reply.header('x-svc-data-age', Math.ceil(replica.ageMs / 1000))
}
