import type { Operation } from '@svc/contract'
import { AppError } from '@svc/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../http/client-address.ts'
import { networkOf } from '../http/network.ts'
import { Throttle } from '../http/throttle.ts'
import { type OwnOrigins, refuseCrossSite } from '../identity/cross-site.ts'
import type { RefusalLog } from '../identity/refusal-log.ts'
import { unauthenticated } from '../identity/refusals.ts'

/** Thirty a minute: a login is two requests, and an office may share an address. */
const perAddress = { burst: 30, perSecond: 0.5 }
/** Each makes us ask somebody else, who may bar all of us. */
const inAll = { burst: 20, perSecond: 20 }

/** Those that send a browser elsewhere and take it back. */
const elsewhere: ReadonlySet<string> = new Set([
  'svc.auth.v1.OidcService',
  'svc.auth.v1.CodehostService',
])

/** Decides whether a request that needs no credential may go on. */
export type LoginGuard = (
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
) => void

/**
 * Nobody may log in a browser from a page of another site, for then its owner works in the name of
 * somebody else without knowing; and nobody may begin or finish logins without end.
 *
 * The guard throws `permission_denied` and `resource_exhausted`, and `unauthenticated` for what a browser
 * comes back with twice: which of two states is meant is nothing to guess at.
 */
export function createLoginGuard(origins: OwnOrigins, refusals: RefusalLog): LoginGuard {
  const ofAddress = new Throttle(perAddress)
  const ofAll = new Throttle(inAll)
  return (operation, request, reply) => {
    const { service } = operation
    if (service === 'svc.auth.v1.SessionService') refuseCrossSite(request.raw, origins)
    // What the far side posts comes from there, for all of its users.
    if (!elsewhere.has(service) || request.method === 'POST') return
    if (!ofAddress.take(networkOf(clientAddress(request))) || !ofAll.take('')) {
      reply.header('retry-after', '2')
      throw new AppError('resource_exhausted', 'too_many_logins', 'too many logins, try later')
    }
    if (operation.name !== 'Callback' || !isDoubled(operation, request)) return
    const refusal = unauthenticated('doubled')
    refusals.note(request, refusal, undefined)
    throw refusal
  }
}

/** Whether a request has one of the fields of its operation more than once. */
function isDoubled({ input }: Operation, { query }: FastifyRequest): boolean {
  const sent = new Map(Object.entries(query ?? {}))
  return input.fields.some(({ jsonName, name }) =>
    [jsonName, name].some((each) => Array.isArray(sent.get(each))),
  )
}
