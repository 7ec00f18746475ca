import { networkOf } from '@svc/access'
import type { Operation } from '@svc/contract'
import { AppError } from '@svc/runtime'
import type { Exchange } from '../http/exchange.ts'
import { createThrottle } from '../http/throttle.ts'
import { type OwnOrigins, refuseCrossSite } from './cross-site.ts'
import { unauthenticated } from './errors.ts'
import type { RefusalLog } from './refusal-log.ts'

/** Thirty a minute: a login is two requests, and an office may share an address. */
const perAddress = { burst: 30, perSecond: 0.5 }
/** Each makes us ask an identity provider, which may bar this service. */
const inAll = { burst: 20, perSecond: 20 }

/** Decides whether a request that is part of the login of a browser is allowed. */
export type LoginGuard = (operation: Operation, exchange: Exchange) => void

/**
 * Prevents login CSRF: a foreign page must not log the browser in as another user. Limits logins.
 *
 * @throws {AppError} `permission_denied`, `resource_exhausted`, and `unauthenticated` for a doubled field
 */
export function createLoginGuard(origins: OwnOrigins, refusals: RefusalLog): LoginGuard {
  const takeOfAddress = createThrottle(perAddress)
  const takeOfAll = createThrottle(inAll)
  return ({ input, route }, exchange) => {
    const { login } = route
    if (login === 'OWN_PAGE') refuseCrossSite(exchange.request.raw, origins)
    if (login === undefined || login === 'OWN_PAGE') return
    // No identity provider is asked for a program, whose logins must not hold up those of browsers.
    const isOfProgram = login === 'PROGRAM'
    if (!takeOfAddress(networkOf(exchange.address)) || !takeOfAll(isOfProgram ? login : '')) {
      exchange.setHeader('retry-after', '2')
      throw new AppError('resource_exhausted', 'too_many_logins', 'too many logins, try later')
    }
    if (login !== 'CALLBACK' || !isDoubled(input, exchange)) return
    const refusal = unauthenticated('doubled')
    refusals.note(exchange, refusal, undefined)
    throw refusal
  }
}

/** Whether a request has one of the fields of its operation more than once. */
function isDoubled({ fields }: Operation['input'], { request: { query } }: Exchange): boolean {
  return fields.some(({ jsonName, name }) => [query[jsonName], query[name]].some(Array.isArray))
}
