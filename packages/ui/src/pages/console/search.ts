import { compact, readMark, readNumber, readText } from '../../app/search.ts'

/** What the URL of the page says: what is asked. */
export interface ConsoleSearch {
  readonly flag?: string
  /** Empty for a request without an entity; left out, it is one to begin with. */
  readonly entity?: string
  /** JSON; left out for none. */
  readonly context?: string
  /** Whether every flag is asked. */
  readonly all?: true
  /** Of the list of every flag. */
  readonly page?: number
}

export function readConsoleSearch(search: Record<string, unknown>): ConsoleSearch {
  const { flag, entity, context, all, page } = search
  return compact({
    flag: readText(flag),
    entity: typeof entity === 'string' ? entity : undefined,
    context: readText(context),
    all: readMark(all),
    page: readNumber(page),
  })
}
