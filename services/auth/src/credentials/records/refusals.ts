import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError } from '@svc/runtime'

/** Whatever is wrong with a credential: who presents a bad one learns nothing from the answer. */
export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'unauthenticated', 'request was not authenticated')
}

export function restricted({ name, namespaceKey }: Identity): AppError {
  const message = `token "${name}" is restricted to namespace "${namespaceKey}"`
  return new AppError('permission_denied', 'namespace_restricted', message)
}

export function wrongAddress({ name }: Identity): AppError {
  const message = `token "${name}" may not be used from this address`
  return new AppError('permission_denied', 'address_refused', message)
}
