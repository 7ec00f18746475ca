import { AppError } from '@svc/runtime'

/**
 * One message for every way in which a credential can be wrong. That there is none at all, its sender
 * knows, and is told how to send one.
 */
export function unauthenticated(reason: string, options?: ErrorOptions): AppError {
  const hint = reason === noCredential ? ': no credential: send Authorization: Bearer <token>' : ''
  const message = `request was not authenticated${hint}`
  return new AppError('unauthenticated', reason, message, options)
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
