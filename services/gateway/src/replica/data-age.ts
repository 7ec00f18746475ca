import type { FastifyReply } from 'fastify'
import type { Replica } from './replica.ts'

/**
 * How old an answer from memory may be, in seconds, for `X-Svc-Data-Age`.
 *
 * @returns `undefined` while changes reach this gateway: there is nothing to say, and the header is
 *   left out
 */
export function dataAgeOf(replica: Replica): string | undefined {
  return replica.isCurrent ? undefined : String(Math.ceil(replica.ageMs / 1000))
}

export function setDataAge(reply: FastifyReply, replica: Replica): void {
  const age = dataAgeOf(replica)
  if (age !== undefined) reply.header('x-svc-data-age', age)
}
