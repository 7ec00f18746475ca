import type { AccessRule } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError } from '@svc/runtime'

/**
 * Holds the caller against the access rule of the method it calls. A caller that is bound to a
 * namespace may do only what happens in that namespace, and in no other besides.
 *
 * @throws {AppError} `permission_denied`, which names the restriction and not what lies beyond it
 */
export function authorize(
  identity: Identity,
  access: AccessRule,
  namespaceKeys: readonly string[],
): void {
  const own = identity.namespaceKey
  if (own === '') return
  const { case: scope } = access.scope
  if (scope === 'self') return
  const isInside =
    (scope === 'namespace' || scope === 'namespaceHeader') &&
    namespaceKeys.length > 0 &&
    namespaceKeys.every((namespaceKey) => namespaceKey === own)
  if (!isInside) {
    throw new AppError(
      'permission_denied',
      'namespace_restricted',
      `token "${identity.name}" is restricted to namespace "${own}"`,
    )
  }
}
