import type { Authentication } from './gen/operations.ts'

/** Whose credential it is: a name for people, and whether a program has it. */
export interface Holder {
  readonly name: string
  readonly isBot: boolean
}

/** Members of the metadata that name the holder, the best first. */
const names = [
  'io.svc.auth.oidc.name',
  'io.svc.auth.oidc.email',
  'io.svc.auth.codehost.name',
  'io.svc.auth.codehost.preferred_username',
  'io.svc.auth.codehost.email',
  'io.svc.auth.jwt.email',
  'io.svc.auth.jwt.sub',
  'io.svc.auth.token.name',
  'io.svc.auth.orchestrator.serviceaccount.name',
]

/** @returns the beginning of its id as the name where nothing else is known */
export function holderOf({
  id,
  method,
  metadata,
}: Pick<Authentication, 'id' | 'method' | 'metadata'>): Holder {
  const name = names.map((one) => metadata[one]).find((text) => text !== undefined && text !== '')
  return { name: name ?? id.slice(0, 8), isBot: isBotMethod(method) }
}

/** Whether a program logs in by this method; people do by the others. */
export function isBotMethod(method: string): boolean {
  return !/oidc|codehost/i.test(method)
}
