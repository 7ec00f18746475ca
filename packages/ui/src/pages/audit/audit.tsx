import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { PageError } from '../../app/page-error.tsx'
import { isAnySet } from '../../app/search.ts'
import { useSetFilters, useSetSearch } from '../../app/set-search.ts'
import { useTitle } from '../../app/title.ts'
import { Button } from '../../components/button.tsx'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { FilterButton } from '../../components/filter-button.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Table, TableHead, Th } from '../../components/table.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { api } from '../../data/api.ts'
import { eventQuery, eventsQuery } from '../../data/history.ts'
import { svc } from '../../data/terminal.ts'
import { Older } from '../../history/older.tsx'
import { PersonFilter } from '../../history/person-filter.tsx'
import { useRowKeys } from '../../history/row-keys.ts'
import { historyPartTexts } from '../../history/texts.ts'
import { TimeFilter } from '../../history/time-filter.tsx'
import { useVerification } from '../../history/verify.tsx'
import { useTexts } from '../../text/texts.ts'
import { toRequest } from './request.ts'
import { EventRow } from './row.tsx'
import { type AuditSearch, eventTypes } from './search.ts'
import { whoOf } from './telling.ts'
import { auditTexts } from './texts.ts'

const noFilters = {
  ...{ type: undefined, actor: undefined, subject: undefined },
  ...{ since: undefined, until: undefined },
}

/** A part of the log takes a while: the service gives itself 20 s. */
const verifyTimeoutMs = 60_000

async function verify(after: number, signal: AbortSignal) {
  const found = await api.events.verify({ after }, { signal, timeoutMs: verifyTimeoutMs })
  const unproven = found.unproven.map(({ count, first, last }) => ({
    count,
    from: first,
    to: last,
  }))
  return { ...found, gaps: [], unproven }
}

export function AuditPage() {
  const t = useTexts(auditTexts)
  const h = useTexts(historyPartTexts)
  const search = useSearch({ from: '/inside/audit' })
  const setSearch = useSetSearch<AuditSearch>()
  const setFilters = useSetFilters<AuditSearch>()
  const body = useRef<HTMLTableSectionElement>(null)
  useTitle(t.title)

  const query = useQuery(eventsQuery(toRequest(search)))
  const { data } = query
  const listed = data?.events ?? []
  // A link may lead to an event that is on another page.
  const isElsewhere =
    search.open !== undefined &&
    data !== undefined &&
    !listed.some(({ number }) => number === search.open)
  const linked = useQuery({ ...eventQuery(search.open ?? 0), enabled: isElsewhere })
  const events = isElsewhere && linked.data !== undefined ? [linked.data, ...listed] : listed
  const [verifyButton, verifyResult] = useVerification(useCallback(verify, []))

  useRowKeys(body)

  const isForbidden = query.isError && data === undefined
  const isFiltered = isAnySet(search, Object.keys(noFilters))
  const isEmpty = data !== undefined && events.length === 0 && !query.isPlaceholderData
  const people = new Map(events.map((event) => [event.actorId, whoOf(event, t)]))
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <PageHead title={t.title} lead={t.lead} actions={!isForbidden && verifyButton} />
        {verifyResult}
        {!isForbidden && (
          <search className="mb-3 flex flex-wrap items-center gap-2">
            <PersonFilter
              actorId={search.actor}
              people={people}
              onChange={(actor) => setFilters({ actor })}
            />
            <Menu
              align="start"
              trigger={
                <FilterButton
                  name={t.type}
                  chosen={search.type && (t.types[search.type] ?? search.type)}
                  onClear={() => setFilters({ type: undefined })}
                />
              }
            >
              <MenuChoice
                value={search.type ?? ''}
                choices={eventTypes.map((one) => [one, t.types[one] ?? one])}
                onChange={(next) => setFilters({ type: eventTypes.find((one) => one === next) })}
              />
            </Menu>
            {search.subject !== undefined && (
              <FilterButton
                name={t.subject}
                chosen={search.subject.slice(0, 8)}
                onClear={() => setFilters({ subject: undefined })}
              />
            )}
            <TimeFilter range={search} onChange={setFilters} />
          </search>
        )}
        {isForbidden && (
          <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
        )}
        {query.isPending && (
          <Waiting>
            <SkeletonRows />
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
        {events.length > 0 && (
          <Table label={t.label}>
            <TableHead>
              <Th className="w-30">{h.when}</Th>
              <Th>{h.what}</Th>
              <Th>{t.from}</Th>
              <Th isTight>
                <span className="sr-only">{t.more}</span>
              </Th>
            </TableHead>
            <tbody ref={body} className="narrow:block">
              {events.map((event) => (
                <EventRow
                  key={event.number}
                  event={event}
                  isOpen={event.number === search.open}
                  onToggle={() =>
                    setSearch({ open: event.number === search.open ? undefined : event.number })
                  }
                  actions={
                    <>
                      {search.actor === undefined && (
                        <Button
                          look="quiet"
                          size="small"
                          onClick={() => setFilters({ actor: event.actorId })}
                        >
                          {t.onlyPerson(whoOf(event, t))}
                        </Button>
                      )}
                      {search.subject === undefined && event.subjectId !== '' && (
                        <Button
                          look="quiet"
                          size="small"
                          onClick={() => setFilters({ subject: event.subjectId })}
                        >
                          {t.onlySubject}
                        </Button>
                      )}
                    </>
                  }
                />
              ))}
            </tbody>
          </Table>
        )}
        <Older
          page={search.page}
          next={data?.nextPageToken}
          link={(page, className, children) => (
            <Link
              from="/audit"
              to="."
              className={className}
              search={({ page: _, open: __, ...rest }) => ({ ...rest, ...(page && { page }) })}
            >
              {children}
            </Link>
          )}
        />
        <Terminal className="mt-8" command={svc(undefined, 'events')} />
      </Page>
    </>
  )
}
