import { compact, readText } from '../../app/search.ts'

/** What the URL of the page says. */
export interface ConsoleSearch {
  readonly flag?: string
  readonly entity?: string
  /** JSON. */
  readonly context?: string
}

export function readConsoleSearch(search: Record<string, unknown>): ConsoleSearch {
  return compact({
    flag: readText(search.flag),
    entity: readText(search.entity),
    context: readText(search.context),
  })
}
