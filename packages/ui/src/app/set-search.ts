import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
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

/**
 * Goes to the last page of a list that has become shorter than the page in the URL.
 *
 * @param total nothing while it is not known
 */
export function useLastPage(page: number, size: number, total: number | undefined): void {
  const navigate = useNavigate()
  const last = total === undefined ? page : Math.max(1, Math.ceil(total / size))
  useEffect(() => {
    if (page <= last) return
    navigate({
      to: '.',
      replace: true,
      search: (search: object) => compact({ ...search, page: last === 1 ? undefined : last }),
    }).catch(() => {})
  }, [navigate, page, last])
}
