import { use } from 'react'
import { usePreferences } from '../data/preferences.ts'
import { type Format, formatIn } from './format.ts'
import type { Language } from './language.ts'

/** The texts of one page or of the components, in each language. */
export interface Texts<T> {
  readonly en: T
  readonly loadDe: () => Promise<T>
}

/** By what was defined: what has been loaded, or is being. */
const loads = new Map<Texts<unknown>, Promise<unknown>>()
const defined = new Set<Texts<unknown>>()

/**
 * The texts of a folder. German stands beside English, in `texts.de.ts`, and is complete by its type.
 *
 * @param loadDe imports the German ones
 */
export function defineTexts<T extends object>(en: T, loadDe: () => Promise<T>): Texts<T> {
  const texts = { en, loadDe }
  defined.add(texts)
  return texts
}

/** The texts in the language that the reader has chosen. */
export function useTexts<T>(texts: Texts<T>): T {
  const { language } = usePreferences()
  if (language === 'en') return texts.en
  // Once it has suspended a component, it has to be used again when that goes on.
  return use(load(texts))
}

/** Numbers, shares, dates and lists as the language has them. */
export function useFormat(): Format {
  const { language, clock } = usePreferences()
  return formatIn(language, clock)
}

/** Loads the texts of all that is shown, so that the page does not blink when the language changes. */
export async function prepareLanguage(language: Language): Promise<void> {
  if (language === 'en') return
  await Promise.all([...defined].map((texts) => load(texts)))
}

function load<T>(texts: Texts<T>): Promise<T> {
  const known = loads.get(texts)
  // What is in the map under `texts` was made of them.
  if (known !== undefined) return known as Promise<T>
  // Without the other language the page is still of use.
  const loading = texts.loadDe().catch(() => texts.en)
  loading.then(
    // As React reads it: then there is nothing to wait for.
    (value) => Object.assign(loading, { status: 'fulfilled', value }),
    () => {},
  )
  loads.set(texts, loading)
  return loading
}
