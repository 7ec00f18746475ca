import { compact, readMark, readNumber, readText, readWord } from '../../app/search.ts'

const sorts = [
  'name',
  '-name',
  'key',
  '-key',
  'updatedAt',
  '-updatedAt',
  'createdAt',
  '-createdAt',
] as const
export type Sort = (typeof sorts)[number]

export const pageSizes = [25, 50, 100] as const

/** What the URL of the list of segments says. */
export interface SegmentsSearch {
  readonly q?: string
  readonly sort?: Sort
  /** From 1. */
  readonly page?: number
  readonly size?: number
  /** The dialog that makes a segment is open. */
  readonly new?: true
}

export function readSegmentsSearch(search: Record<string, unknown>): SegmentsSearch {
  const page = readNumber(search.page)
  const size = readNumber(search.size)
  return compact({
    q: readText(search.q),
    sort: readWord(search.sort, sorts),
    page: page === 1 ? undefined : page,
    size: pageSizes.find((one) => one === size && one !== pageSizes[0]),
    new: readMark(search.new),
  })
}
