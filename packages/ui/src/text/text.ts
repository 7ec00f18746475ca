import { createContext, useContext } from 'react'
import type { en } from './en/index.ts'
import { type Format, formatIn } from './format.ts'

/** All texts of the interface, in one language. */
export type Text = typeof en

export type Language = 'en' | 'de'

interface Chosen {
  readonly language: Language
  readonly text: Text
}

export const TextContext = createContext<Chosen | undefined>(undefined)

function useChosen(): Chosen {
  const chosen = useContext(TextContext)
  if (chosen === undefined) throw new Error('texts are used outside of <Texts>')
  return chosen
}

export function useText(): Text {
  return useChosen().text
}

/** Numbers, shares, dates and lists as the language has them. */
export function useFormat(): Format {
  return formatIn(useChosen().language)
}
