import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError } from '@svc/runtime'

/** The same for every bad credential: its holder learns nothing from the answer. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'unauthenticated', 'request was not authenticated')
}

export function wrongAddress({ name }: Identity): AppError {
  const message = `token "${name}" may not be used from this address`
  return new AppError('permission_denied', 'address_refused', message)
}
