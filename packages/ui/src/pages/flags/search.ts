import { compact, readNumber, readText, readTexts, readWord } from '../../app/search.ts'

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

const types = ['boolean', 'variant'] as const
const states = ['on', 'off'] as const
export const pageSizes = [25, 50, 100] as const

/** What the URL of the list of flags says: all that a reader has set. */
export interface FlagsSearch {
  readonly q?: string
  readonly type?: (typeof types)[number]
  readonly state?: (typeof states)[number]
  readonly tag?: readonly string[]
  readonly segment?: string
  readonly sort?: Sort
  /** From 1. */
  readonly page?: number
  readonly size?: number
  /** The dialog that makes a flag is open; `variant`: for one with variants. */
  readonly new?: 'boolean' | 'variant'
  /** What the dialog has as its name at first. */
  readonly name?: string
}

export function readFlagsSearch(search: Record<string, unknown>): FlagsSearch {
  const page = readNumber(search.page)
  const size = readNumber(search.size)
  return compact({
    q: readText(search.q),
    type: readWord(search.type, types),
    state: readWord(search.state, states),
    tag: readTexts(search.tag),
    segment: readText(search.segment),
    sort: readWord(search.sort, sorts),
    page: page === 1 ? undefined : page,
    size: pageSizes.find((one) => one === size && one !== pageSizes[0]),
    new: search.new === '' || search.new === true ? 'boolean' : readWord(search.new, types),
    name: readText(search.name),
  })
}
