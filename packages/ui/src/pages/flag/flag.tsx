import type { StoredFlag } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { Crumbs } from '../../app/crumbs.tsx'
import { type PageNamespace, usePageNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { useTitle } from '../../app/title.ts'
import { DraftDot } from '../../components/chip.tsx'
import { Note } from '../../components/note.tsx'
import { Page } from '../../components/page.tsx'
import { Bone, Waiting } from '../../components/skeleton.tsx'
import { Tabs, tabClass } from '../../components/tabs.tsx'
import { useDraft, useDraftKeys } from '../../data/drafts.ts'
import { failureOf } from '../../data/errors.ts'
import { flagDocumentQuery, type Tagged } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { AskChange } from './head/ask-change.tsx'
import { FlagHead } from './head/head.tsx'
import { useFlagWrites } from './head/writes.ts'
import { type ChangeAtOnce, type Here, HereProvider } from './here.ts'
import { useFlagNews } from './news.ts'
import { useSegments } from './segments.ts'
import { isBoolean, setEnabled } from './targeting/steps.ts'
import { flagTexts } from './texts.ts'

/** The head of a flag, and its tabs, each a page of its own. */
export function FlagPage() {
  const t = useTexts(flagTexts)
  const namespace = usePageNamespace()
  const { flagKey } = useParams({ from: '/inside/ns/$namespaceKey/flags/$flagKey' })
  const query = useQuery(flagDocumentQuery(namespace.key, flagKey))
  const { data, error } = query
  const name = data?.value.flag.name || flagKey
  useTitle(name, namespace.name)
  const isGone = error !== null && failureOf(error).kind === 'missing'
  // What others have deleted can be brought back under a draft of it.
  const hasDraft = useDraftKeys(namespace.key, 'flag').has(flagKey)
  return (
    <>
      <Crumbs
        path={[
          { text: namespace.name, to: `/ns/${namespace.key}/flags` },
          { text: t.flags, to: `/ns/${namespace.key}/flags` },
          { text: name },
        ]}
        live={namespace.key}
      />
      <Page>
        {isGone && hasDraft && data !== undefined && (
          <div className="mb-6">
            <Note kind="attention">{t.goneWithDraft(name)}</Note>
          </div>
        )}
        {error !== null && (data === undefined || (isGone && !hasDraft)) ? (
          <PageError error={error} reset={() => void query.refetch()} />
        ) : data === undefined ? (
          <Waiting>
            <FlagSkeleton />
          </Waiting>
        ) : (
          // A draft, and what is asked or typed, belongs to one flag.
          <LoadedFlag
            key={`${namespace.key} ${flagKey}`}
            namespace={namespace}
            data={data}
            name={name}
          />
        )}
      </Page>
    </>
  )
}

interface LoadedProps {
  readonly namespace: PageNamespace
  readonly data: Tagged<StoredFlag>
  readonly name: string
}

function LoadedFlag({ namespace, data, name }: LoadedProps) {
  const t = useTexts(flagTexts)
  const { number } = useFormat()
  const { value: stored, etag } = data
  const { flag } = stored
  const navigate = useNavigate()
  const [refused, setRefused] = useState<string>()
  const [asked, setAsked] = useState<ChangeAtOnce>()
  const offlineReason = useOfflineReason()
  const segments = useSegments(namespace.key)
  const draft = useDraft({ namespaceKey: namespace.key, kind: 'flag', key: flag.key }, flag, etag)
  const { glowing, news } = useFlagNews(namespace.key, flag.key)
  const known = {
    namespace,
    stored,
    flag,
    etag,
    name,
    draft,
    segments,
    glowing,
    news,
    readOnlyReason: offlineReason ?? (refused === undefined ? undefined : t.refused(refused)),
    onRefused: setRefused,
  }
  const writes = useFlagWrites(known)
  const doAtOnce = (change: ChangeAtOnce) => {
    // To disable a flag with variants is asked about anywhere: people still get its default.
    const isDisabling = change === 'off' && !isBoolean(flag)
    if (namespace.confirm || isDisabling) setAsked(change)
    else if (change === 'stop') writes.stop()
    else if (change === 'resume') writes.resume()
    else writes.turn(change === 'on')
  }
  const here: Here = { ...known, doAtOnce }
  const params = { namespaceKey: namespace.key, flagKey: flag.key }
  const tab = (to: TabTo, children: ReactNode) => (
    <Link
      className={tabClass}
      to={to}
      params={params}
      activeOptions={{ exact: true, includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      {children}
    </Link>
  )
  return (
    <HereProvider value={here}>
      <FlagHead writes={writes} />
      <Tabs label={t.tabs}>
        {tab(
          '/ns/$namespaceKey/flags/$flagKey',
          <>
            {t.targeting}
            {draft.isDirty && <DraftDot label={t.draft} />}
          </>,
        )}
        {!isBoolean(flag) &&
          tab(
            '/ns/$namespaceKey/flags/$flagKey/variants',
            <>
              {t.variants}
              <span className="text-12 text-faint">{number(flag.variants.length)}</span>
            </>,
          )}
        {tab('/ns/$namespaceKey/flags/$flagKey/history', t.history)}
        {tab('/ns/$namespaceKey/flags/$flagKey/settings', t.settings)}
      </Tabs>
      <Outlet />
      {asked !== undefined && (
        <AskChange
          change={asked}
          writes={writes}
          onClose={() => setAsked(undefined)}
          onDraft={() => {
            setAsked(undefined)
            draft.edit(setEnabled(draft.draft.present, false))
            void navigate({ to: '/ns/$namespaceKey/flags/$flagKey', params })
          }}
        />
      )}
    </HereProvider>
  )
}

type TabTo =
  | '/ns/$namespaceKey/flags/$flagKey'
  | '/ns/$namespaceKey/flags/$flagKey/variants'
  | '/ns/$namespaceKey/flags/$flagKey/history'
  | '/ns/$namespaceKey/flags/$flagKey/settings'

function FlagSkeleton() {
  return (
    <div className="grid gap-4">
      <div className="flex items-start justify-between gap-4">
        <div className="grid gap-3 pt-1">
          <Bone width="w-56" className="h-5!" />
          <Bone width="w-80" />
        </div>
        <Bone width="w-52" className="h-11.5! rounded-3! narrow:hidden" />
      </div>
      <div className="mt-4 border-b border-line" />
      {[0, 1, 2].map((row) => (
        <div key={row} className="ms-9 h-14 rounded-3 border border-line bg-raised" />
      ))}
    </div>
  )
}
