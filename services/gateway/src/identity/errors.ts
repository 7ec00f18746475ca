import { AppError, type MaybePromise, onFailure } from '@svc/runtime'

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

/** Runs work for the cookie of a login: a refusal of its credential says that the login has ended. */
export function refuseCookie<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  return onFailure(work, (error) => {
    const hasEnded = error instanceof AppError && error.code === 'unauthenticated'
    if (hasEnded) throw unauthenticated(refusedCookie, { cause: error })
  })
}
