import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { Crumbs } from '../../app/crumbs.tsx'
import { useNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { useTitle } from '../../app/title.ts'
import { Empty } from '../../components/empty.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { flagsQuery } from '../../data/queries.ts'
import { useText } from '../../text/text.ts'
import { FlagTable } from './flag-table.tsx'
import { FlagToolbar } from './flag-toolbar.tsx'
import { Pager } from './pager.tsx'

/** Flags of a page. */
const pageSize = 25

export function FlagsPage() {
  const t = useText()
  const { namespaceKey } = useParams({ from: '/inside/ns/$namespaceKey/flags' })
  const search = useSearch({ from: '/inside/ns/$namespaceKey/flags' })
  const namespace = useNamespace(namespaceKey)
  const name = namespace?.name ?? namespaceKey
  useTitle(t.flags.title, name)
  const { page = 1, ...filters } = search
  const offset = (page - 1) * pageSize
  const query = useQuery(flagsQuery({ namespaceKey, ...filters, limit: pageSize, offset }))
  const { data } = query
  const isFiltered = Object.keys(filters).some((filter) => filter !== 'sort')
  return (
    <>
      <Crumbs path={[{ text: name, to: `/ns/${namespaceKey}/flags` }, { text: t.flags.title }]} />
      <div className="page">
        <div className="page-head keep">
          <h1>{t.flags.title}</h1>
        </div>
        <FlagToolbar namespaceKey={namespaceKey} search={search} />
        {query.isError && data === undefined && (
          <PageError error={query.error} reset={() => void query.refetch()} />
        )}
        {query.isPending && (
          <Waiting>
            <SkeletonRows />
          </Waiting>
        )}
        {data !== undefined && data.flags.length === 0 && (
          <Empty title={isFiltered ? t.flags.noMatchTitle : t.flags.emptyTitle(name)}>
            {isFiltered ? t.flags.noMatchText(filters.q ?? '') : t.flags.emptyText}
          </Empty>
        )}
        {data !== undefined && data.flags.length > 0 && (
          <>
            <FlagTable flags={data.flags} namespace={{ key: namespaceKey, name }} />
            <Pager offset={offset} size={pageSize} total={data.totalCount} page={page} />
          </>
        )}
      </div>
    </>
  )
}
