import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { isAnySet } from '../../app/search.ts'
import { useSetFilters, useSetSearch } from '../../app/set-search.ts'
import { useTitle } from '../../app/title.ts'
import { Button } from '../../components/button.tsx'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { News } from '../../components/news.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Table, TableHead, Th } from '../../components/table.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { api } from '../../data/api.ts'
import { changeQuery, changesQuery } from '../../data/history.ts'
import { useLive } from '../../data/live.ts'
import { svc } from '../../data/terminal.ts'
import { Older } from '../../history/older.tsx'
import { useRowKeys } from '../../history/row-keys.ts'
import { historyPartTexts } from '../../history/texts.ts'
import { useVerification } from '../../history/verify.tsx'
import { whoOf } from '../../history/who.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { Filters } from './filters.tsx'
import { toRequest } from './request.ts'
import { ChangeRow } from './row.tsx'
import type { ChangesSearch } from './search.ts'
import { changesTexts } from './texts.ts'

const from = '/inside/ns/$namespaceKey/changes'

export function ChangesPage() {
  const t = useTexts(changesTexts)
  const h = useTexts(historyPartTexts)
  const { number } = useFormat()
  const { key: namespaceKey, name } = usePageNamespace()
  const search = useSearch({ from })
  const setSearch = useSetSearch<ChangesSearch>()
  const setFilters = useSetFilters<ChangesSearch>()
  const live = useLive(namespaceKey)
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set())
  const body = useRef<HTMLTableSectionElement>(null)
  useTitle(t.title, name)

  const query = useQuery(changesQuery(toRequest(namespaceKey, search)))
  const { data } = query
  const changes = data?.changes ?? []
  // A link may lead to a change that is on another page.
  const isElsewhere =
    search.open !== undefined &&
    data !== undefined &&
    !changes.some(({ revision }) => revision === search.open)
  const linked = useQuery({
    ...changeQuery(namespaceKey, search.open ?? 0),
    enabled: isElsewhere,
  })
  const rows = isElsewhere && linked.data !== undefined ? [linked.data, ...changes] : changes

  const verify = useCallback(
    async (after: number, signal: AbortSignal) => {
      const found = await api.changes.verify({ namespaceKey, after }, { signal, timeoutMs: 60_000 })
      return {
        ...found,
        gaps: found.gaps.map(({ fromRevision, toRevision }) => ({
          from: fromRevision,
          to: toRevision,
        })),
        unproven: found.unproven.map(({ count, fromRevision, toRevision }) => ({
          ...{ count, from: fromRevision, to: toRevision },
        })),
      }
    },
    [namespaceKey],
  )
  const [verifyButton, verifyResult] = useVerification(verify)

  const people = new Map(rows.map(({ actor }) => [actor.id, whoOf(actor, h).name]))
  const filters = ['kind', 'key', 'actor', 'source', 'since', 'until'] as const
  const isFiltered = isAnySet(search, filters)
  const isEmpty = data !== undefined && rows.length === 0 && !query.isPlaceholderData
  const toggle = (revision: number) =>
    setSearch({ open: revision === search.open ? undefined : revision })
  useRowKeys(body)

  return (
    <>
      <Crumbs
        path={[{ text: name, to: `/ns/${namespaceKey}/flags` }, { text: t.title }]}
        live={namespaceKey}
      />
      <Page>
        <PageHead title={t.title} lead={t.lead} actions={verifyButton} />
        {verifyResult}
        <Filters search={search} people={people} />
        {live.news.length > 0 && (
          <News
            action={h.showNews}
            onShow={() => {
              setShown(new Set(live.news.map(({ revision }) => revision)))
              live.show()
              void query.refetch()
            }}
          >
            {h.news(live.news.length, number(live.news.length))}
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
        {isEmpty && !isFiltered && (
          <Empty title={t.emptyTitle(name)} picture={<EmptyRail />}>
            {t.emptyText}
          </Empty>
        )}
        {isEmpty && isFiltered && (
          <Empty
            title={h.noMatch}
            actions={
              <Button
                onClick={() =>
                  setFilters(Object.fromEntries(filters.map((one) => [one, undefined])))
                }
              >
                {h.clearFilters}
              </Button>
            }
          >
            {h.noMatchText}
          </Empty>
        )}
        {rows.length > 0 && (
          <Table label={t.label}>
            <TableHead>
              <Th className="w-30">{h.when}</Th>
              <Th>{h.what}</Th>
              <Th isEnd>{h.revision}</Th>
              <Th isTight>
                <span className="sr-only">{t.more}</span>
              </Th>
            </TableHead>
            <tbody ref={body} className="narrow:block">
              {rows.map((change) => (
                <ChangeRow
                  key={change.revision}
                  change={change}
                  namespaceKey={namespaceKey}
                  isOpen={change.revision === search.open}
                  isNew={shown.has(change.revision)}
                  onToggle={() => toggle(change.revision)}
                  actions={
                    search.actor === undefined && (
                      <Button
                        look="quiet"
                        size="small"
                        onClick={() => setFilters({ actor: change.actor.id })}
                      >
                        {h.onlyPerson(whoOf(change.actor, h).name)}
                      </Button>
                    )
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
              from="/ns/$namespaceKey/changes"
              to="."
              className={className}
              search={({ page: _, open: __, ...rest }) => ({ ...rest, ...(page && { page }) })}
            >
              {children}
            </Link>
          )}
        />
        <Terminal className="mt-8" command={svc(namespaceKey, 'changes')} />
      </Page>
    </>
  )
}
