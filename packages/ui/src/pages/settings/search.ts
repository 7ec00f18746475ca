import { compact, readText } from '../../app/search.ts'

/** What the URL of the page says. */
export interface SettingsSearch {
  readonly tab?: string
}

export function readSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  return compact({ tab: readText(search.tab) })
}
