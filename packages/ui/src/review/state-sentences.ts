import type { Format } from '../text/format.ts'
import type { FlagState } from './state.ts'
import type { StateTexts } from './state-texts.ts'

export interface StateSentences {
  readonly title: string
  /** Nothing: there is no more to say than when it was changed. */
  readonly more: string | undefined
}

export function describeState(
  state: FlagState,
  t: StateTexts,
  { number, share }: Format,
): StateSentences {
  switch (state.kind) {
    case 'stopped':
      return { title: t.stopped, more: t.offForEveryone }
    case 'enabled': {
      const { variants, rules } = state
      return { title: t.enabled, more: t.counts(variants, number(variants), rules, number(rules)) }
    }
    case 'disabled':
      return {
        title: t.disabled,
        more: state.gets === undefined ? t.everyoneGetsCode : t.everyoneGets(state.gets),
      }
    case 'boolean': {
      const { share: part, rollouts, isElseOn } = state
      const title =
        part === undefined
          ? t.rollouts(rollouts, number(rollouts))
          : part >= 100
            ? t.onForEveryone
            : part <= 0
              ? t.offForEveryone
              : t.onFor(share(part))
      return { title, more: rollouts === 0 ? undefined : t.elseGets(isElseOn) }
    }
  }
}

/** The same as one sentence, such as `Disabled: everyone gets blue`. */
export function sayState(state: FlagState, t: StateTexts, format: Format): string {
  const { title, more } = describeState(state, t, format)
  if (more === undefined) return title
  const text = state.kind === 'boolean' ? more : lowerFirst(more)
  return state.kind === 'boolean' ? `${title}. ${text}` : `${title}: ${text}`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLocaleLowerCase() + text.slice(1)
}
