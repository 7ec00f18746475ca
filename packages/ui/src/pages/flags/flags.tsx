import type { ListFlagsRequest } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { NewButton } from '../../app/new-button.tsx'
import { PageError } from '../../app/page-error.tsx'
import { isAnySet } from '../../app/search.ts'
import { useLastPage, useSetFilters, useSetSearch } from '../../app/set-search.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useTitle } from '../../app/title.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { News } from '../../components/news.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { useNews } from '../../data/news.ts'
import { flagsQuery } from '../../data/queries.ts'
import { svc } from '../../data/terminal.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { FlagList } from './list.tsx'
import { NoMatch } from './no-match.tsx'
import { type FlagsSearch, pageSizes } from './search.ts'
import { flagsTexts } from './texts.ts'
import { Toolbar } from './toolbar.tsx'

const NewFlag = lazy(() => import('./new-flag/new-flag.tsx'))

const from = '/inside/ns/$namespaceKey/flags'

export function FlagsPage() {
  const t = useTexts(flagsTexts)
  const { number } = useFormat()
  const { namespaceKey } = useParams({ from })
  const search = useSearch({ from })
  const namespace = usePageNamespace()
  const setSearch = useSetSearch<FlagsSearch>()
  const setFilters = useSetFilters<FlagsSearch>()
  const offlineReason = useOfflineReason()
  const input = useRef<HTMLInputElement>(null)
  useTitle(t.title, namespace.name)

  const { page = 1, size = pageSizes[0] } = search
  const offset = (page - 1) * size
  const query = useQuery(flagsQuery(toRequest(namespaceKey, search, offset, size)))
  const { data } = query
  useLastPage(page, size, query.isFetching ? undefined : data?.totalCount)
  const news = useNews(namespaceKey, 'FLAG_KIND', query.refetch)
  // Another page or filter is another list, of which nothing is selected: from when it is there on.
  const asked = JSON.stringify({ ...search, new: undefined, name: undefined })
  const [shown, setShown] = useState(asked)
  if (shown !== asked && !query.isPlaceholderData) setShown(asked)
  const isFiltered = isAnySet(search, ['q', 'type', 'state', 'tag', 'segment'])
  const isEmpty = data !== undefined && data.totalCount === 0 && !query.isPlaceholderData
  // What is looked for and not found is the name of the new one.
  const isKnown = query.isError || (data !== undefined && !query.isPlaceholderData)
  const isFirst = isEmpty && !isFiltered
  const create = () => setSearch({ new: 'boolean' })
  useShortcuts({
    c: offlineReason === undefined ? create : undefined,
    '/': () => input.current?.focus(),
  })

  return (
    <>
      <Crumbs
        path={[{ text: namespace.name, to: `/ns/${namespaceKey}/flags` }, { text: t.title }]}
        live={namespaceKey}
      />
      <Page>
        <PageHead
          title={t.title}
          actions={
            !isFirst && (
              <NewButton onClick={create} disabledReason={offlineReason}>
                {t.newFlag}
              </NewButton>
            )
          }
        />
        {!isFirst && <Toolbar namespaceKey={namespaceKey} search={search} inputRef={input} />}
        {news.count > 0 && (
          <News action={t.show} onShow={news.show}>
            {t.news(news.count, number(news.count))}
          </News>
        )}
        {query.isError && data === undefined && (
          <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
        )}
        {query.isPending && (
          <Waiting>
            <SkeletonRows />
          </Waiting>
        )}
        {isFirst && (
          <Empty
            title={t.emptyTitle(namespace.name)}
            picture={<EmptyRail />}
            command={svc(namespaceKey, 'flags', 'create', 'new-checkout')}
            actions={
              <>
                <Button look="primary" onClick={create} disabledReason={offlineReason}>
                  {t.createFirst}
                </Button>
                <Link to="/welcome" className={buttonClass()}>
                  {t.firstSteps}
                </Link>
              </>
            }
          >
            {t.emptyText}
          </Empty>
        )}
        {isEmpty && isFiltered && (
          <NoMatch
            namespaceKey={namespaceKey}
            search={search}
            offlineReason={offlineReason}
            onClear={() => setFilters(noFilters)}
            onCreate={create}
          />
        )}
        {data !== undefined && data.flags.length > 0 && (
          <>
            <FlagList
              key={shown}
              flags={data.flags}
              namespace={namespace}
              sort={search.sort ?? '-updatedAt'}
              changed={news.shown}
            />
            <Pager
              offset={offset}
              size={size}
              total={data.totalCount}
              link={(page, className, children) => (
                <Link
                  from="/ns/$namespaceKey/flags"
                  to="."
                  className={className}
                  search={({ page: _, ...rest }) => ({ ...rest, ...(page > 1 && { page }) })}
                >
                  {children}
                </Link>
              )}
            />
          </>
        )}
        <Terminal className="mt-8" command={svc(namespaceKey, 'flags', 'list')} />
      </Page>
      <Suspense fallback={null}>
        {search.new !== undefined && isKnown && (
          <NewFlag
            namespace={namespace}
            type={search.new}
            name={search.name ?? (isEmpty ? (search.q ?? '') : '')}
            onClose={() => setSearch({ new: undefined, name: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}

const noFilters = {
  q: undefined,
  type: undefined,
  state: undefined,
  tag: undefined,
  segment: undefined,
}

const apiTypes = { boolean: 'BOOLEAN_FLAG_TYPE', variant: 'VARIANT_FLAG_TYPE' } as const

function toRequest(
  namespaceKey: string,
  { q, type, state, tag, segment, sort = '-updatedAt' }: FlagsSearch,
  offset: number,
  limit: number,
): ListFlagsRequest & { readonly namespaceKey: string } {
  return {
    namespaceKey,
    limit,
    sort,
    ...(offset > 0 && { offset }),
    ...(q !== undefined && { q }),
    ...(type !== undefined && { type: apiTypes[type] }),
    ...(state !== undefined && { enabled: state === 'on' }),
    ...(tag !== undefined && { tags: tag }),
    ...(segment !== undefined && { segment }),
  }
}
