import { compact, readMark, readText } from '../../../app/search.ts'

/** What the URL of the variants of a flag says. */
export interface VariantsSearch {
  /** The key of the variant that is open. */
  readonly variant?: string
  /** The panel that makes a variant is open. */
  readonly new?: true
}

export function readVariantsSearch(search: Record<string, unknown>): VariantsSearch {
  return compact({ variant: readText(search.variant), new: readMark(search.new) })
}
