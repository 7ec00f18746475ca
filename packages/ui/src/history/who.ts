import type { Actor } from '@svc/client/api'
import { type Person, personOfActor } from '../data/people.ts'
import type { HistoryPartTexts } from './texts.ts'

/** Who did it, for a sentence. */
export function whoOf(actor: Actor, t: HistoryPartTexts): Person {
  if (actor.id === 'anonymous') return { name: t.anonymous, isBot: true }
  if (actor.id === 'system') return { name: t.system, isBot: true }
  return personOfActor(actor) ?? { name: t.unknownPerson, isBot: false }
}

/** How the credential came to be, such as `Token`. */
export function methodOf({ method }: Pick<Actor, 'method'>, t: HistoryPartTexts): string {
  return method in t.methods ? t.methods[method as keyof typeof t.methods] : method
}
