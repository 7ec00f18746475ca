import { isAddressWithin } from '@svc/access'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError } from '@svc/runtime'

/**
 * @param sender whose address is empty when it is not known, which is nowhere
 * @throws {AppError} `permission_denied`, which names the restriction
 */
export function refuseElsewhere(
  { authentication, name }: Identity,
  sender: { readonly address: string },
): void {
  const { allowedAddresses = [] } = authentication ?? {}
  if (allowedAddresses.length === 0 || isAddressWithin(allowedAddresses, sender.address)) return
  const message = `token "${name}" may not be used from this address`
  throw new AppError('permission_denied', 'address_refused', message)
}
