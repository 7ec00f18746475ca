import { useSyncExternalStore } from 'react'
import type { Clock } from '../text/format.ts'
import type { Language } from '../text/language.ts'

/** What a reader has chosen, kept in this browser. Nothing in it is a secret. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  readonly language: Language
  readonly density: 'comfortable' | 'compact'
  /** Whose clock times are by. */
  readonly clock: Clock
  /** Whether single letters are shortcuts. */
  readonly hasLetterShortcuts: boolean
  /** Whether the side bar shows icons only. */
  readonly isFolded: boolean
  /** The namespace that was looked at last. */
  readonly namespaceKey: string
}

const storageKey = 'svc.preferences'

const defaults: Preferences = {
  theme: 'system',
  language: navigator.language.startsWith('de') ? 'de' : 'en',
  density: 'comfortable',
  clock: 'local',
  hasLetterShortcuts: true,
  isFolded: false,
  namespaceKey: 'default',
}

let current = read()
/** Whether the browser has what was chosen last. */
let isStored = true
const listeners = new Set<() => void>()

/** Follows what is chosen in other tabs, and shows what is chosen here. */
export function followPreferences(): void {
  addEventListener('storage', ({ key }) => {
    if (key === storageKey) update(read())
  })
  applyPreferences()
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}

export function setPreferences(changes: Partial<Preferences>): void {
  // Another tab may have chosen what this one does not know yet.
  update({ ...(isStored ? read() : current), ...changes })
  try {
    localStorage.setItem(storageKey, JSON.stringify(current))
    isStored = true
  } catch {
    // A browser may keep nothing: then it holds until the page is closed.
    isStored = false
  }
}

/** Shows the theme, the density and the language, before anything else is. */
function applyPreferences(): void {
  const { dataset } = document.documentElement
  if (current.theme === 'system') delete dataset.theme
  else dataset.theme = current.theme
  dataset.density = current.density
  document.documentElement.lang = current.language
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function update(next: Preferences): void {
  current = next
  applyPreferences()
  for (const listener of listeners) listener()
}

function read(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    return { ...defaults, ...pickKnown(stored) }
  } catch {
    return defaults
  }
}

/** Members that have the type of their default. */
function pickKnown(stored: unknown): Partial<Preferences> {
  if (typeof stored !== 'object' || stored === null) return {}
  const known = Object.entries(defaults).filter(
    ([name, value]) => typeof Reflect.get(stored, name) === typeof value,
  )
  return Object.fromEntries(known.map(([name]) => [name, Reflect.get(stored, name)]))
}
