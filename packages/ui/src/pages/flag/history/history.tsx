import type { ListChangesRequest } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { PageError } from '../../../app/page-error.tsx'
import { isAnySet } from '../../../app/search.ts'
import { useSetFilters, useSetSearch } from '../../../app/set-search.ts'
import { Button } from '../../../components/button.tsx'
import { Empty, EmptyRail } from '../../../components/empty.tsx'
import { News } from '../../../components/news.tsx'
import { Rail } from '../../../components/rail.tsx'
import { SkeletonRows, Waiting } from '../../../components/skeleton.tsx'
import { changesQuery } from '../../../data/history.ts'
import { useLive } from '../../../data/live.ts'
import { usePreferences } from '../../../data/preferences.ts'
import { flagDocumentQuery } from '../../../data/queries.ts'
import { touches } from '../../../data/touched.ts'
import { Older } from '../../../history/older.tsx'
import { PersonFilter } from '../../../history/person-filter.tsx'
import { useRowKeys } from '../../../history/row-keys.ts'
import { SourceFilter } from '../../../history/source-filter.tsx'
import { historyPartTexts } from '../../../history/texts.ts'
import { TimeFilter } from '../../../history/time-filter.tsx'
import { dayOf, instantsOf, startOf } from '../../../history/time-range.ts'
import { whoOf } from '../../../history/who.ts'
import { localeOf } from '../../../text/format.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { byDay } from './days.ts'
import type { HistorySearch } from './search.ts'
import { ChangeStop } from './stop.tsx'
import { historyTexts } from './texts.ts'

const from = '/inside/ns/$namespaceKey/flags/$flagKey/history'
const noFilters = { actor: undefined, source: undefined, since: undefined, until: undefined }

/** The changes of a flag, the newest first. */
export function HistoryPage() {
  const t = useTexts(historyTexts)
  const h = useTexts(historyPartTexts)
  const { number } = useFormat()
  const { namespaceKey, flagKey } = useParams({ from })
  const search = useSearch({ from })
  const setSearch = useSetSearch<HistorySearch>()
  const setFilters = useSetFilters<HistorySearch>()
  const tellDay = useTellDay()
  const live = useLive(namespaceKey)
  const list = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set())
  const flag = useQuery(flagDocumentQuery(namespaceKey, flagKey))
  const query = useQuery(changesQuery(toRequest(namespaceKey, flagKey, search)))
  const { data } = query
  const changes = data?.changes ?? []
  const people = new Map(changes.map(({ actor }) => [actor.id, whoOf(actor, h).name]))
  const news = live.news.filter((change) => touches(change, 'FLAG_KIND', flagKey))

  useRowKeys(list)
  const isFiltered = isAnySet(search, Object.keys(noFilters))
  const isEmpty = data !== undefined && changes.length === 0 && !query.isPlaceholderData
  const nowRevision = flag.data?.value.revision

  return (
    <div className="max-w-[56rem]">
      <h2 className="sr-only">{t.title}</h2>
      <search className="mb-3 flex flex-wrap items-center gap-2">
        <PersonFilter
          actorId={search.actor}
          people={people}
          onChange={(actor) => setFilters({ actor })}
        />
        <SourceFilter source={search.source} onChange={(source) => setFilters({ source })} />
        <TimeFilter range={search} onChange={setFilters} />
      </search>
      {news.length > 0 && (
        <News
          action={h.showNews}
          onShow={() => {
            setShown(new Set(news.map(({ revision }) => revision)))
            live.show()
            void query.refetch()
            void flag.refetch()
          }}
        >
          {h.news(news.length, number(news.length))}
        </News>
      )}
      {query.isError && data === undefined && (
        <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
      )}
      {query.isPending && (
        <Waiting>
          <SkeletonRows count={5} />
        </Waiting>
      )}
      {isEmpty && (
        <Empty
          title={isFiltered ? h.noMatch : t.emptyTitle}
          picture={<EmptyRail />}
          actions={
            isFiltered && <Button onClick={() => setFilters(noFilters)}>{h.clearFilters}</Button>
          }
        >
          {isFiltered ? h.noMatchText : t.emptyText}
        </Empty>
      )}
      <div ref={list}>
        {byDay(changes).map(({ day, changes }) => (
          <section key={day} className="mb-5">
            <h3 className="mb-2 text-12 font-[450] text-muted">{tellDay(day)}</h3>
            <Rail label={t.day(tellDay(day))} className="gap-1! [--rail-gap:0.25rem]">
              {changes.map((change) => (
                <ChangeStop
                  key={change.revision}
                  change={change}
                  namespaceKey={namespaceKey}
                  isOpen={change.revision === search.open}
                  isNow={change.revision === nowRevision}
                  isNew={shown.has(change.revision)}
                  onToggle={() =>
                    setSearch({
                      open: change.revision === search.open ? undefined : change.revision,
                    })
                  }
                  actions={
                    <Link
                      to="/ns/$namespaceKey/changes"
                      params={{ namespaceKey }}
                      search={{ open: change.revision }}
                      className="inline-flex h-small items-center px-2 text-12 font-medium text-muted hover:text-text"
                    >
                      {h.inNamespace}
                    </Link>
                  }
                />
              ))}
            </Rail>
          </section>
        ))}
      </div>
      <Older
        page={search.page}
        next={data?.nextPageToken}
        link={(page, className, children) => (
          <Link
            from="/ns/$namespaceKey/flags/$flagKey/history"
            to="."
            className={className}
            search={({ page: _, open: __, ...rest }) => ({ ...rest, ...(page && { page }) })}
          >
            {children}
          </Link>
        )}
      />
    </div>
  )
}

function toRequest(
  namespaceKey: string,
  key: string,
  { actor, source, since, until, page }: HistorySearch,
): ListChangesRequest {
  return {
    ...{ namespaceKey, kind: 'FLAG_KIND', key },
    ...(actor !== undefined && { actorId: actor }),
    ...(source !== undefined && { source }),
    ...instantsOf({ ...(since && { since }), ...(until && { until }) }),
    ...(page !== undefined && { pageToken: page }),
  }
}

/** @returns `Today`, `Yesterday`, `12 November`, or with the year */
function useTellDay(): (day: string) => string {
  const t = useTexts(historyTexts)
  const { language } = usePreferences()
  const now = new Date()
  const today = dayOf(now)
  const yesterday = dayOf(startOf(today, -1))
  return (day) => {
    if (day === today) return t.today
    if (day === yesterday) return t.yesterday
    return startOf(day).toLocaleDateString(localeOf(language), {
      ...{ day: 'numeric', month: 'long' },
      ...(!day.startsWith(today.slice(0, 4)) && { year: 'numeric' }),
    })
  }
}
