import type { ListSegmentsRequest } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { NewButton } from '../../app/new-button.tsx'
import { PageError } from '../../app/page-error.tsx'
import { useLastPage, useSetFilters, useSetSearch } from '../../app/set-search.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useTitle } from '../../app/title.ts'
import { Button } from '../../components/button.tsx'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { News } from '../../components/news.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { useNews } from '../../data/news.ts'
import { segmentsPageQuery } from '../../data/queries.ts'
import { svc } from '../../data/terminal.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { SegmentList } from './list.tsx'
import { pageSizes, type SegmentsSearch } from './search.ts'
import { segmentsTexts } from './texts.ts'
import { ViewMenu } from './view-menu.tsx'

const NewSegment = lazy(() => import('./new-segment.tsx'))

const from = '/inside/ns/$namespaceKey/segments'

export function SegmentsPage() {
  const t = useTexts(segmentsTexts)
  const { number } = useFormat()
  const { namespaceKey } = useParams({ from })
  const search = useSearch({ from })
  const namespace = usePageNamespace()
  const setSearch = useSetSearch<SegmentsSearch>()
  const setFilters = useSetFilters<SegmentsSearch>()
  const offlineReason = useOfflineReason()
  const input = useRef<HTMLInputElement>(null)
  useTitle(t.title, namespace.name)

  const { q, page = 1, size = pageSizes[0], sort = '-updatedAt' } = search
  const offset = (page - 1) * size
  const query = useQuery(segmentsPageQuery(toRequest(namespaceKey, search, offset, size)))
  const { data } = query
  useLastPage(page, size, query.isFetching ? undefined : data?.totalCount)
  const news = useNews(namespaceKey, 'SEGMENT_KIND', query.refetch)
  const isEmpty = data !== undefined && data.totalCount === 0 && !query.isPlaceholderData
  // What is looked for and not found is the name of the new one.
  const isKnown = query.isError || (data !== undefined && !query.isPlaceholderData)
  const isFirst = isEmpty && q === undefined
  const create = () => setSearch({ new: true })
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
          lead={t.lead}
          actions={
            !isFirst && (
              <NewButton onClick={create} disabledReason={offlineReason}>
                {t.newSegment}
              </NewButton>
            )
          }
        />
        {!isFirst && (
          <search className="mb-3 flex flex-wrap items-center gap-2">
            <SearchField
              text={q ?? ''}
              onSearch={(text) => setFilters({ q: text === '' ? undefined : text })}
              label={t.search}
              hint={t.searchHint}
              inputRef={input}
            />
            <ViewMenu
              sort={sort}
              size={size}
              onSort={(sort) => setFilters({ sort: sort === '-updatedAt' ? undefined : sort })}
              onSize={(size) => setFilters({ size: size === pageSizes[0] ? undefined : size })}
            />
          </search>
        )}
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
            command={svc(namespaceKey, 'segments', 'create', 'beta-users')}
            actions={
              <Button look="primary" onClick={create} disabledReason={offlineReason}>
                {t.createFirst}
              </Button>
            }
          >
            {t.emptyText}
          </Empty>
        )}
        {isEmpty && q !== undefined && (
          <Empty
            title={t.noMatch(q)}
            actions={
              <>
                <Button onClick={() => setFilters({ q: undefined })}>{t.clearSearch}</Button>
                <Button onClick={create} disabledReason={offlineReason}>
                  {t.createIt(q)}
                </Button>
              </>
            }
          >
            {t.noMatchText}
          </Empty>
        )}
        {data !== undefined && data.segments.length > 0 && (
          <>
            <SegmentList
              segments={data.segments}
              namespace={namespace}
              sort={sort}
              changed={news.shown}
              onSort={(sort) => setFilters({ sort: sort === '-updatedAt' ? undefined : sort })}
            />
            <Pager
              offset={offset}
              size={size}
              total={data.totalCount}
              link={(page, className, children) => (
                <Link
                  from="/ns/$namespaceKey/segments"
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
        <Terminal className="mt-8" command={svc(namespaceKey, 'segments', 'list')} />
      </Page>
      <Suspense fallback={null}>
        {search.new !== undefined && isKnown && (
          <NewSegment
            namespace={namespace}
            name={isEmpty ? (q ?? '') : ''}
            onClose={() => setSearch({ new: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}

function toRequest(
  namespaceKey: string,
  { q, sort = '-updatedAt' }: SegmentsSearch,
  offset: number,
  limit: number,
): ListSegmentsRequest & { readonly namespaceKey: string } {
  return {
    namespaceKey,
    limit,
    sort,
    ...(offset > 0 && { offset }),
    ...(q !== undefined && { q }),
  }
}
