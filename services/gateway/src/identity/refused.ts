import { type CookieScope, clearSessionCookie } from '@svc/access'
import { AppError } from '@svc/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../http/client-address.ts'
import { networkOf } from '../http/network.ts'
import { Throttle } from '../http/throttle.ts'
import { noCredential, refusedCookie } from './refusals.ts'

/** Somebody who mistypes, or a fleet whose token has just ended; who guesses needs many more. */
const failures = { burst: 20, perSecond: 2 }

/**
 * What follows from a refused credential, whichever part refused it: the browser drops the cookie that
 * it came in, and who has sent too many of them is told to wait. Good ones are never refused for that.
 *
 * @returns what turns the error of a request into the one to answer with
 */
export function onRefusal(session: CookieScope) {
  const throttle = new Throttle(failures)
  const clearing = clearSessionCookie(session)
  return (error: Error, request: FastifyRequest, reply: FastifyReply): Error => {
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') return error
    if (error.reason === noCredential) return error
    // Of several, this would drop ours and leave what a neighbour has put beside it.
    if (error.reason === refusedCookie) reply.header('set-cookie', clearing)
    if (throttle.take(networkOf(clientAddress(request)))) return error
    return new AppError('resource_exhausted', 'too_many_failures', 'too many failures, try later')
  }
}
