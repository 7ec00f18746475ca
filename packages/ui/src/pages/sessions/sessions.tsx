import type { Session } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Crumbs } from '../../app/crumbs.tsx'
import { PageError } from '../../app/page-error.tsx'
import { signOut } from '../../app/sign-out.ts'
import { useTitle } from '../../app/title.ts'
import { Button } from '../../components/button.tsx'
import { Ask } from '../../components/dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { personOf } from '../../data/people.ts'
import { viewerQuery } from '../../data/queries.ts'
import { ownSessionsQuery } from '../../data/sessions.ts'
import { svc } from '../../data/terminal.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { Everyone } from './everyone.tsx'
import { isOpen, ownFirst } from './list.ts'
import { SessionTable } from './table.tsx'
import { sessionsTexts } from './texts.ts'

/** Of one's own sessions so many are shown at first. */
const maxShown = 10

export function SessionsPage() {
  const t = useTexts(sessionsTexts)
  const { number } = useFormat()
  const navigate = useNavigate()
  const offlineReason = useOfflineReason()
  const [doomed, setDoomed] = useState<Session>()
  const [isElsewhereAsked, setElsewhereAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [isAllShown, setAllShown] = useState(false)
  useTitle(t.title)
  const { data: viewer } = useQuery(viewerQuery)
  const query = useQuery({ ...ownSessionsQuery, enabled: viewer?.kind === 'session' })
  const now = query.dataUpdatedAt
  const own = ownFirst((query.data ?? []).filter((session) => isOpen(session, now)))
  const others = own.filter(({ current }) => !current)

  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['sessions'] })
      setBusy(false)
      setDoomed(undefined)
      setElsewhereAsked(false)
    }
  }
  const endOne = (session: Session) =>
    run(async () => {
      const { id } = session.authentication
      // Each may end their own; only some may end those of others.
      if (own.includes(session)) await api.sessions.deleteOwnSession({ id })
      else await api.authentications.delete({ id })
      showToast(<Rich text={t.ended(personOf(session.authentication).name)} />)
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#main h1')?.focus())
    })
  const endOthers = () =>
    run(async () => {
      // The service ends all of them or one: this browser is to stay signed in.
      for (const { authentication } of others)
        await api.sessions.deleteOwnSession({ id: authentication.id })
      showToast(t.endedSome(others.length, number(others.length)))
    })
  const ask = (session: Session) => (session.current ? void signOut() : setDoomed(session))

  if (viewer?.kind === 'open')
    return (
      <>
        <Crumbs path={[{ text: t.title }]} />
        <Empty isPage title={t.openTitle}>
          {t.openText}
        </Empty>
      </>
    )
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <PageHead
          title={t.title}
          lead={t.lead}
          actions={
            query.data !== undefined && (
              <Button
                onClick={() => setElsewhereAsked(true)}
                disabledReason={offlineReason ?? (others.length === 0 ? t.nowhereElse : undefined)}
              >
                {t.elsewhere}
              </Button>
            )
          }
        />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
          <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
            <h2>{t.yours}</h2>
            {query.isError && query.data === undefined && (
              <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
            )}
            {query.isPending && (
              <Waiting>
                <SkeletonRows count={2} />
              </Waiting>
            )}
            {own.length > 0 && (
              <SessionTable
                label={t.yours}
                sessions={isAllShown ? own : own.slice(0, maxShown)}
                offlineReason={offlineReason}
                onEnd={ask}
              />
            )}
            {own.length > maxShown && !isAllShown && (
              <span>
                <Button onClick={() => setAllShown(true)}>{t.showAll(number(own.length))}</Button>
              </span>
            )}
          </section>
          <Everyone
            own={query.data ?? []}
            offlineReason={offlineReason}
            onEnd={ask}
            onAllEnded={() => navigate({ to: '/login' })}
          />
        </div>
        <Terminal className="mt-8" command={svc(undefined, 'sessions', 'list')} />
      </Page>
      {doomed !== undefined && (
        <Ask
          isOpen
          isDanger
          isBusy={isBusy}
          title={t.askEnd(personOf(doomed.authentication).name)}
          action={t.end}
          onClose={() => setDoomed(undefined)}
          onConfirm={() => void endOne(doomed)}
        >
          {t.endText}
        </Ask>
      )}
      <Ask
        isOpen={isElsewhereAsked}
        isDanger
        isBusy={isBusy}
        title={t.askElsewhere(others.length, number(others.length))}
        action={t.elsewhere}
        onClose={() => setElsewhereAsked(false)}
        onConfirm={() => void endOthers()}
      >
        {t.elsewhereText}
      </Ask>
    </>
  )
}
