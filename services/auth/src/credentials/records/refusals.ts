import { AppError } from '@svc/runtime'

/** The same for every bad credential: its holder learns nothing from the answer. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'unauthenticated', 'request was not authenticated')
}
