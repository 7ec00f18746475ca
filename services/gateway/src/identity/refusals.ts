import { AppError } from '@svc/runtime'

/** One message for every way in which a credential can be missing or wrong. */
export function unauthenticated(reason: string): AppError {
  return new AppError('unauthenticated', reason, 'request was not authenticated')
}
