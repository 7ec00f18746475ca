import type { Authentication } from '@svc/proto/auth/v1/authentications'
import type { Actor } from '../../events/event.ts'
import { principalOf } from '../records/principal.ts'
import { tokenKeys } from '../records/token.ts'
import type { HooksByMethod } from './method-hooks.ts'

/** The holder of a record, as events and messages name it. */
export function actorOf(
  hooks: HooksByMethod,
  authentication: Pick<Authentication, 'id' | 'method' | 'metadata'>,
): Actor {
  const { method, metadata } = authentication
  const { nameOf, subjectOf } = hooks.get(method) ?? {}
  return {
    id: principalOf(authentication, subjectOf),
    method,
    name: metadata[tokenKeys.name] ?? nameOf?.(metadata) ?? '',
  }
}
