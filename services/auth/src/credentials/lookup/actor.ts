import type { Authentication } from '@svc/proto/auth/v1/authentications'
import type { Actor } from '../../events/event.ts'
import { type Holder, isStorable } from '../records/authentications.store.ts'
import { principalOf } from '../records/principal.ts'
import { tokenKeys } from '../records/token.ts'
import type { HooksByMethod } from './method-hooks.ts'

/** What of a record names its holder. */
type Named = Pick<Authentication, 'id' | 'method' | 'metadata'>

/** Who holds a credential. */
export interface NamedHolder extends Pick<Holder, 'name' | 'principal'> {
  readonly authentication: Pick<Authentication, 'method'>
}

/**
 * The holder of a record, as messages and other services know it.
 *
 * @param rootId see {@link TokenRecord.rootId}
 */
export function holderOf<T extends Named>(
  hooks: HooksByMethod,
  authentication: T,
  rootId = authentication.id,
): NamedHolder & { readonly authentication: T } {
  const { method, metadata } = authentication
  const { nameOf, subjectOf } = hooks.get(method) ?? {}
  return {
    authentication,
    name: metadata[tokenKeys.name] ?? nameOf?.(metadata) ?? '',
    principal: principalOf(authentication, rootId, subjectOf),
  }
}

/** The holder of a credential, as events name it. */
export function actorOf({ authentication, name, principal }: NamedHolder): Actor {
  // The name of a JWT is what its issuer says.
  return { id: principal, method: authentication.method, name: isStorable(name) ? name : '' }
}
