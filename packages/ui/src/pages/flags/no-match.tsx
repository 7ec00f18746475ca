import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isAnySet } from '../../app/search.ts'
import { Button } from '../../components/button.tsx'
import { link } from '../../components/classes.ts'
import { Empty } from '../../components/empty.tsx'
import { api } from '../../data/api.ts'
import { namespacesQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import type { FlagsSearch } from './search.ts'
import { flagsTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly search: FlagsSearch
  readonly offlineReason: string | undefined
  readonly onClear: () => void
  readonly onCreate: () => void
}

/** Flags that are named, and namespaces that are asked. */
const maxNamed = 3
const maxNamespaces = 6

/** Nothing is found: what there is without the filters, and elsewhere. */
export function NoMatch({ namespaceKey, search, offlineReason, onClear, onCreate }: Props) {
  const t = useTexts(flagsTexts)
  const { number } = useFormat()
  const { q } = search
  const hasOtherFilters = isAnySet(search, ['type', 'state', 'tag', 'segment'])
  const { data: all = [] } = useQuery(namespacesQuery)
  const others = all.filter(({ key }) => key !== namespaceKey).slice(0, maxNamespaces)
  const { data } = useQuery({
    queryKey: ['flags-near', namespaceKey, q, hasOtherFilters, others.map(({ key }) => key)],
    enabled: q !== undefined,
    async queryFn({ signal }) {
      const find = (namespaceKey: string, limit: number) =>
        api.flags.list({ namespaceKey, limit, sort: 'name', ...(q && { q }) }, { signal })
      const elsewhere = Promise.all(
        others.map(async ({ key, name }) => ({
          key,
          name: name || key,
          count: (await find(key, 1)).totalCount,
        })),
      )
      return {
        here: hasOtherFilters ? await find(namespaceKey, maxNamed) : undefined,
        elsewhere: (await elsewhere).filter(({ count }) => count > 0),
      }
    },
  })
  const { here, elsewhere = [] } = data ?? {}
  return (
    <Empty
      title={q === undefined ? t.noMatchFilters : t.noMatch(q)}
      actions={
        <>
          <Button onClick={onClear}>{t.clearFilters}</Button>
          {q !== undefined && (
            <Button onClick={onCreate} disabledReason={offlineReason}>
              {t.createIt(q)}
            </Button>
          )}
        </>
      }
    >
      {here !== undefined && here.totalCount > 0 && (
        <>
          {t.withoutFilters(here.totalCount, number(here.totalCount))}
          {here.flags.map(({ key, name }, place) => (
            <span key={key}>
              {place > 0 && ', '}
              <Link
                className={link}
                to="/ns/$namespaceKey/flags/$flagKey"
                params={{ namespaceKey, flagKey: key }}
              >
                {name || key}
              </Link>
            </span>
          ))}
          {'. '}
        </>
      )}
      {elsewhere.map(({ key, name, count }) => (
        <Link
          key={key}
          className={link}
          to="/ns/$namespaceKey/flags"
          params={{ namespaceKey: key }}
          search={q === undefined ? {} : { q }}
        >
          {t.elsewhere(name, count, number(count))}
        </Link>
      ))}
      {(here?.totalCount ?? 0) === 0 && elsewhere.length === 0 && t.noMatchText}
    </Empty>
  )
}
