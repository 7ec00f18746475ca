import { AppError } from '@svc/runtime'

/** One message for every way in which a credential can be missing or wrong. */
export function unauthenticated(reason: string, options?: ErrorOptions): AppError {
  return new AppError('unauthenticated', reason, 'request was not authenticated', options)
}

/** The reason when there is no credential. */
export const noCredential = 'no_credential'

/** The reason when the cookie of a login is not good, or not any more. */
export const refusedCookie = 'refused_cookie'

/** The reason when there are several of it. */
export const severalCookies = 'several_cookies'

/**
 * For what goes wrong with the cookie of a login: says that it has ended, and not, for one, that nobody
 * can tell.
 */
export function refuseCookie(error: unknown): never {
  const hasEnded = error instanceof AppError && error.code === 'unauthenticated'
  throw hasEnded ? unauthenticated(refusedCookie, { cause: error }) : error
}
