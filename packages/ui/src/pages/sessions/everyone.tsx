import type { Session } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useRef, useState } from 'react'
import { PageError } from '../../app/page-error.tsx'
import { useSetFilters } from '../../app/set-search.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Button } from '../../components/button.tsx'
import { Ask } from '../../components/dialog.tsx'
import { FilterButton } from '../../components/filter-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { Note } from '../../components/note.tsx'
import { Pager } from '../../components/pager.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { noteSignedIn } from '../../data/connection.ts'
import { failureOf, messageOf } from '../../data/errors.ts'
import { personOf } from '../../data/people.ts'
import { sessionsQuery } from '../../data/sessions.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { isOpen, ownFirst, search as searchSessions } from './list.ts'
import type { SessionsSearch } from './search.ts'
import { SessionTable } from './table.tsx'
import { sessionsTexts } from './texts.ts'

const pageSize = 25

interface Props {
  /** Those of the viewer, which are shown above. */
  readonly own: readonly Session[]
  readonly offlineReason: string | undefined
  readonly onEnd: (session: Session) => void
  /** After all have ended, that of the viewer too. */
  readonly onAllEnded: () => Promise<void>
}

/** The sessions of the others, where the viewer may see them. */
export function Everyone({ own, offlineReason, onEnd, onAllEnded }: Props) {
  const t = useTexts(sessionsTexts)
  const { number } = useFormat()
  const search = useSearch({ from: '/inside/sessions' })
  const setSearch = useSetFilters<SessionsSearch>()
  const input = useRef<HTMLInputElement>(null)
  const [asked, setAsked] = useState<Session | 'all'>()
  const [isBusy, setBusy] = useState(false)
  const { q, issuer, subject, page = 1 } = search
  const query = useQuery(sessionsQuery(issuer, subject))
  useShortcuts({ '/': () => input.current?.focus() })
  const now = query.dataUpdatedAt
  const ownIds = new Set(own.map(({ authentication }) => authentication.id))
  const open = (query.data?.items ?? []).filter(
    (session) => isOpen(session, now) && !ownIds.has(session.authentication.id),
  )
  const shown = ownFirst(searchSessions(open, q))
  const offset = Math.max(0, Math.min(page - 1, Math.ceil(shown.length / pageSize) - 1)) * pageSize

  const end = async (asked: Session | 'all') => {
    setBusy(true)
    try {
      if (asked === 'all') {
        await api.sessions.delete({ all: true })
        noteSignedIn(false)
        await onAllEnded()
        queryClient.clear()
        return
      }
      await api.sessions.delete({ issuer: asked.issuer, subject: asked.subject })
      const theirs = open.filter(
        (one) => one.issuer === asked.issuer && one.subject === asked.subject,
      ).length
      await queryClient.invalidateQueries({ queryKey: ['sessions'] })
      showToast(t.endedSome(theirs, number(theirs)))
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    } finally {
      setBusy(false)
      setAsked(undefined)
    }
  }

  if (query.isError && query.data === undefined) {
    const { kind, message } = failureOf(query.error)
    if (kind === 'forbidden')
      return (
        <Note>
          {t.notYours} {message}.
        </Note>
      )
    return <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
  }
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="flex-1">{t.everyones}</h2>
        {subject !== undefined && (
          <FilterButton
            name={t.person}
            chosen={shown[0] === undefined ? subject : personOf(shown[0].authentication).name}
            onClear={() => setSearch({ issuer: undefined, subject: undefined })}
          />
        )}
        <SearchField
          text={q ?? ''}
          label={t.search}
          hint={t.searchHint}
          inputRef={input}
          onSearch={(q) => setSearch({ q: q === '' ? undefined : q })}
        />
        <Menu
          trigger={
            <Button look="quiet" isIcon aria-label={t.moreActions}>
              <Icon of={Ellipsis} />
            </Button>
          }
        >
          <MenuItem isDanger disabledReason={offlineReason} onSelect={() => setAsked('all')}>
            {t.endAll}
          </MenuItem>
        </Menu>
      </div>
      {query.isPending && (
        <Waiting>
          <SkeletonRows count={3} />
        </Waiting>
      )}
      {query.data !== undefined && shown.length === 0 && (
        <p className="rounded-3 border border-dashed border-line-strong px-4 py-6 text-center text-13 text-muted">
          {open.length === 0 && subject === undefined ? t.noneOpenText : t.noMatch}
        </p>
      )}
      {shown.length > 0 && (
        <div>
          <SessionTable
            label={t.everyones}
            sessions={shown.slice(offset, offset + pageSize)}
            offlineReason={offlineReason}
            onEnd={onEnd}
            onOnly={({ issuer, subject }) => setSearch({ issuer, subject, q: undefined })}
            onEndTheirs={setAsked}
          />
          <Pager
            offset={offset}
            size={pageSize}
            total={shown.length}
            link={(page, className, children) => (
              <Link
                from="/sessions"
                to="."
                className={className}
                search={({ page: _, ...rest }) => ({ ...rest, ...(page > 1 && { page }) })}
              >
                {children}
              </Link>
            )}
          />
        </div>
      )}
      {query.data?.isCut && (
        <p className="text-12 text-muted">{t.isCut(number(query.data.items.length))}</p>
      )}
      {asked !== undefined && (
        <Ask
          isOpen
          isDanger
          isBusy={isBusy}
          title={asked === 'all' ? t.askAll : t.askTheirs(personOf(asked.authentication).name)}
          action={t.endThem}
          onClose={() => setAsked(undefined)}
          onConfirm={() => void end(asked)}
        >
          {asked === 'all' ? t.allText : t.theirsText}
        </Ask>
      )}
    </section>
  )
}
