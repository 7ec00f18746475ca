import { compact, readWord } from '../../app/search.ts'

export const sections = ['you', 'namespaces', 'methods', 'about'] as const
export type Section = (typeof sections)[number]

/** What the URL of the page says. */
export interface SettingsSearch {
  /** The part that is looked at. */
  readonly tab?: Section
}

export function readSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return compact({ tab: readWord(search.tab, sections) })
}
