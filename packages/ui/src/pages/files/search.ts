import { compact, readTexts, readWord } from '../../app/search.ts'

export const formats = ['yaml', 'json'] as const

/** What the URL of the page of exports says. */
export interface ExportSearch {
  /** Keys of namespaces; left out: the one of the side bar. */
  readonly ns?: readonly string[]
  readonly format?: (typeof formats)[number]
}

export function readExportSearch(search: Record<string, unknown>): ExportSearch {
  const { ns } = search
  // None is not the same as nothing said: every one may be taken away.
  const isNone = ns === '' || (Array.isArray(ns) && ns.length === 0)
  return compact({
    ns: isNone ? [] : readTexts(ns),
    format: readWord(search.format, formats),
  })
}
