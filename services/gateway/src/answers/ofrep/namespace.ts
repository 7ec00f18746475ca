import type { IncomingHttpHeaders } from 'node:http'
import { resolveNamespaceKey } from '@svc/contract'
import { invalidField } from '@svc/runtime'
import type { Replica } from '../../replica/replica.ts'

/** Ours, and the one that providers send which were set up for the server that we stand in for. */
const spellings = ['x-svc-namespace', 'x-flipt-namespace'] as const

/**
 * The namespace that a request is about, as its headers say.
 *
 * @throws {AppError} `invalid_argument` for what cannot be the key of a namespace, and for two of them
 */
export function readNamespace(headers: IncomingHttpHeaders): string {
  const [key = '', ...others] = spellings.flatMap((name) => String(headers[name] ?? '') || [])
  if (others.some((other) => other !== key)) {
    throw invalidField('X-Svc-Namespace', 'differs from X-Flipt-Namespace')
  }
  return resolveNamespaceKey(key, 'X-Svc-Namespace')
}

/**
 * The revision of what a namespace holds; 0 while it does not exist. Not the number of its deletion,
 * which a gateway does not know that was started later: a client that goes from one gateway to another
 * would take each answer for a change.
 */
export function revisionIn(replica: Replica, namespaceKey: string): number {
  return replica.namespace(namespaceKey)?.revision ?? 0
}
