import type { Authentication } from '@svc/proto/auth/v1/authentications'
import type { Actor } from '../../events/event.ts'
import { type Holder, isStorable } from '../records/authentications.store.ts'
import { principalOf } from '../records/principal.ts'
import { tokenKeys } from '../records/token.ts'
import type { HooksByMethod } from './method-hooks.ts'

/** Who holds a credential. */
export type Known = Pick<Holder, 'authentication' | 'name' | 'principal'>

/**
 * The holder of a record, as messages and other services know it.
 *
 * @param rootId see {@link TokenRecord.rootId}
 */
export function holderOf(
  hooks: HooksByMethod,
  authentication: Authentication,
  rootId = authentication.id,
): Known {
  const { method, metadata } = authentication
  const { nameOf, subjectOf } = hooks.get(method) ?? {}
  return {
    authentication,
    name: metadata[tokenKeys.name] ?? nameOf?.(metadata) ?? '',
    principal: principalOf(authentication, rootId, subjectOf),
  }
}

/** The holder of a credential, as events name it. */
export function actorOf({ authentication, name, principal }: Known): Actor {
  // The name of a JWT is what its issuer says.
  return { id: principal, method: authentication.method, name: isStorable(name) ? name : '' }
}
