import { type CookieScope, clearSessionCookie, networkOf } from '@svc/access'
import { AppError } from '@svc/runtime'
import type { OnError } from '../http/edge.ts'
import { invalidToken } from '../http/errors.ts'
import { createThrottle } from '../http/throttle.ts'
import { noCredential, refusedCookie, severalCookies } from './errors.ts'

/** A typing mistake, or a fleet whose token has just ended; guessing takes many more. */
const failures = { burst: 20, perSecond: 2 }

/**
 * After a refused credential, the browser drops the cookie that it came in, and a network that sent too many
 * has to wait. Valid credentials are never refused for that.
 */
export function throttleFailures(session: CookieScope): OnError {
  const take = createThrottle(failures)
  const clearing = clearSessionCookie(session)
  return (error, exchange) => {
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') return error
    const { reason } = error
    if (reason === noCredential) return error
    // Of several, this would drop ours and leave what another subdomain has set.
    if (reason === refusedCookie) exchange.setHeader('set-cookie', clearing)
    if (!take(networkOf(exchange.address))) {
      return new AppError('resource_exhausted', 'too_many_failures', 'too many failures, try later')
    }
    const isOfCookie = reason === refusedCookie || reason === severalCookies
    if (isOfCookie) exchange.setHeader('www-authenticate', invalidToken)
    return error
  }
}
