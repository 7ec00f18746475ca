import {
  type Actor,
  type Authentication,
  type Holder,
  holderOf,
  isBotMethod,
} from '@svc/client/api'

/** What a login or a token is called, and whether a program has it. */
export type Person = Holder

export function personOf(authentication: Authentication): Person {
  return holderOf(authentication)
}

/** @returns nothing when it is not known who it was */
export function personOfActor({ id, method, name }: Actor): Person | undefined {
  if (id === '' && name === '') return undefined
  return { name: name || id.slice(0, 8), isBot: isBotMethod(method) }
}
