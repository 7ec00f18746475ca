import type { Actor, Authentication } from '@svc/client/api'

/** What a login or a token is called, and whether a program has it. */
export interface Person {
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

export function personOf({ id, method, metadata }: Authentication): Person {
  const name = names.map((one) => metadata[one]).find((text) => text !== undefined && text !== '')
  return { name: name ?? id.slice(0, 8), isBot: isBot(method) }
}

/** @returns nothing when it is not known who it was */
export function personOfActor({ id, method, name }: Actor): Person | undefined {
  if (id === '' && name === '') return undefined
  return { name: name || id.slice(0, 8), isBot: isBot(method) }
}

function isBot(method: string): boolean {
  return !/oidc|codehost/i.test(method)
}
