import { useNavigate } from '@tanstack/react-router'
import { compact } from './search.ts'

/** What a page says in its URL, each with its new value; `undefined` takes it out. */
export type SearchChanges<Search> = {
  readonly [Name in keyof Search]?: Search[Name] | undefined
}

/** @returns what changes the URL of the page that is shown, which stays where it is scrolled to */
export function useSetSearch<Search extends object>(): (changes: SearchChanges<Search>) => void {
  const navigate = useNavigate()
  return (changes) => {
    navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (search: object) => compact({ ...search, ...changes }),
    }).catch(() => {})
  }
}

/** @returns the same for what a list is filtered by: it begins at its first page again, with no row open */
export function useSetFilters<Search extends object>(): (changes: SearchChanges<Search>) => void {
  const setSearch = useSetSearch<Search & { page?: unknown; open?: unknown }>()
  return (changes) => setSearch({ page: undefined, open: undefined, ...changes })
}
