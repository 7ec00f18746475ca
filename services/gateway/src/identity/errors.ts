import { AppError, type MaybePromise, onFailure } from '@svc/runtime'

/** Reasons that decide whether a cookie is cleared, and what counts as a failure. */
export const noCredential = 'no_credential'
export const refusedCookie = 'refused_cookie'
export const severalCookies = 'several_cookies'

/** One message for whatever is wrong with a credential; only a missing one has a hint. */
export function unauthenticated(reason: string, options?: ErrorOptions): AppError {
  const hint = reason === noCredential ? ': no credential: send Authorization: Bearer <token>' : ''
  const message = `request was not authenticated${hint}`
  return new AppError('unauthenticated', reason, message, options)
}

/** Runs work for the cookie of a login: a refusal of its credential says that the login has ended. */
export function refuseCookie<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  return onFailure(work, (error) => {
    const hasEnded = error instanceof AppError && error.code === 'unauthenticated'
    if (hasEnded) throw unauthenticated(refusedCookie, { cause: error })
  })
}
