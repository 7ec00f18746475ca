import { useMutation, useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useDone } from '../../app/done.tsx'
import { PageError } from '../../app/page-error.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { NamespaceName } from '../../components/tile.tsx'
import { queryClient } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { readFailure } from '../../data/failed-apply.ts'
import { noteOwnRevision } from '../../data/live.ts'
import { namespacesQuery, refreshNamespace } from '../../data/queries.ts'
import { readWhenReachable } from '../../data/settle.ts'
import { bold, Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { type ImportPlan, planImport } from './import-plan.ts'
import { type ImportChoices, type Standing, standingOf } from './import-rows.ts'
import { ImportTable } from './import-table.tsx'
import { IntoCard } from './into-card.tsx'
import type { ReadFile } from './read-file.ts'
import { sizeText } from './size.ts'
import { filesTexts } from './texts.ts'

interface Props {
  readonly file: ReadFile
  readonly onClose: () => void
}

/** The order of the numbers above the table. */
const standings: readonly Standing[] = ['new', 'changed', 'only here', 'same']

/** What a file would do, what is to be chosen, and Apply. */
export function ImportReview({ file, onClose }: Props) {
  const t = useTexts(filesTexts)
  const { number, list } = useFormat()
  const done = useDone()
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  const [only, ...others] = file.namespaces
  const isOne = others.length === 0
  const [target, setTarget] = useState(only?.namespaceKey ?? 'default')
  const [choices, setChoices] = useState<ImportChoices>({ keeps: false, deletes: false })
  const [note, setNote] = useState<'stale' | 'unknown' | 'lost'>()

  const plan = useQuery({
    queryKey: ['import', id, isOne ? target : '', choices],
    queryFn: ({ signal }) =>
      planImport(
        file.namespaces,
        ({ namespaceKey }) => (isOne ? target : namespaceKey),
        choices,
        signal,
      ),
    // It is of the moment, and the service keeps a part of it.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  useDiscarded(plan.data)
  useEffect(() => heading.current?.focus(), [])

  const nameOf = (key: string) => namespaces.find((one) => one.key === key)?.name || key
  const applying = useMutation({
    mutationFn: async ({ planned, comment }: { planned: ImportPlan['planned']; comment: string }) =>
      (await planned?.apply(comment === '' ? {} : { comment })) ?? [],
    async onSuccess(applied) {
      for (const { namespaceKey, revision } of applied) noteOwnRevision(namespaceKey, revision)
      await refresh(applied.map(({ namespaceKey }) => namespaceKey))
      const [first] = applied
      const names = applied.map(({ namespaceKey }) => bold(nameOf(namespaceKey)))
      // A change of several namespaces is taken back in each of them.
      const isAlone = applied.length === 1 && first?.isNew === false
      done(
        <Rich
          text={
            applied.length === 1
              ? t.applied(nameOf(first?.namespaceKey ?? ''))
              : t.appliedTo(list(names))
          }
        />,
        {
          namespaceKey: first?.namespaceKey ?? '',
          revision: isAlone ? first.revision : undefined,
        },
      )
      onClose()
    },
    async onError(error) {
      const kind = readFailure(error)
      if (kind !== 'refused') setNote(kind === 'stale' ? 'stale' : 'unknown')
      // What is shown, and what may be done next, is what there is then.
      await readWhenReachable(() => plan.refetch({ throwOnError: true })).catch(() => {})
      await refresh(plan.data?.targets.map(({ namespaceKey }) => namespaceKey) ?? [])
      if (kind === 'lost') setNote('lost')
    },
  })
  const isRefused = applying.error !== null && readFailure(applying.error) === 'refused'
  const failure = isRefused ? messageOf(applying.error) : undefined
  const rows = plan.data?.targets.flatMap((one) => one.rows) ?? []
  const countOf = (standing: Standing) => rows.filter((row) => standingOf(row) === standing).length
  const sum = (of: 'flags' | 'segments') =>
    number(file.namespaces.reduce((total, one) => total + one[of].length, 0))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_18rem] items-start gap-8 max-lg:grid-cols-1">
      <div className="grid min-w-0 gap-6">
        <div className="flex flex-wrap items-center gap-3 rounded-3 border border-line bg-raised px-4 py-3">
          <Icon of={Check} className="text-on" />
          <div className="min-w-0 flex-1">
            <h2 ref={heading} tabIndex={-1} className="text-13 font-[550] wrap-anywhere">
              {file.names.join(', ')}
            </h2>
            <p className="text-12 text-muted">
              {t.fileFacts(
                sizeText(file.bytes, number),
                number(file.namespaces.length),
                sum('flags'),
                sum('segments'),
              )}
            </p>
          </div>
          <Button
            size="small"
            onClick={onClose}
            disabledReason={applying.isPending ? t.applying : undefined}
          >
            {t.another}
          </Button>
        </div>
        {file.warnings.length > 0 && (
          <Note kind="attention">
            <ul className="grid gap-1 font-mono text-12">
              {file.warnings.slice(0, 10).map((warning) => (
                <li key={warning} className="wrap-anywhere">
                  {warning}
                </li>
              ))}
            </ul>
            {file.warnings.length > 10 && <p>{t.moreRows(number(file.warnings.length - 10))}</p>}
          </Note>
        )}
        <div aria-live="polite" className="grid gap-3 empty:hidden">
          {note !== undefined && <Note kind="attention">{t[note]}</Note>}
          {failure !== undefined && (
            <Note kind="failure">
              <b>{t.refused}</b>
              <p className="wrap-anywhere">{failure}</p>
            </Note>
          )}
          {plan.data?.refusal !== undefined && (
            <Note kind="failure">
              <b>{t.refused}</b>
              <p className="wrap-anywhere">{plan.data.refusal}</p>
            </Note>
          )}
        </div>
        {plan.isPending && (
          <Waiting>
            <SkeletonRows />
          </Waiting>
        )}
        {plan.isError && (
          <PageError isPage={false} error={plan.error} reset={() => void plan.refetch()} />
        )}
        {plan.data !== undefined && (
          <>
            <ul className="flex flex-wrap gap-x-8 gap-y-2">
              {standings.map((standing) => (
                <li key={standing} className="flex items-baseline gap-1.5">
                  <b className="text-20 font-[550]">{number(countOf(standing))}</b>
                  <span className="text-13 text-muted">{t.counts[standing]}</span>
                </li>
              ))}
            </ul>
            {plan.data.targets.map(({ namespaceKey, rows }) => (
              <section key={namespaceKey} className="grid min-w-0 gap-3">
                {!isOne && (
                  <h3 className="text-13 font-[550]">
                    <NamespaceName
                      namespace={
                        namespaces.find(({ key }) => key === namespaceKey) ?? {
                          key: namespaceKey,
                          name: namespaceKey,
                        }
                      }
                    />
                  </h3>
                )}
                <ImportTable namespaceKey={namespaceKey} rows={rows} choices={choices} />
              </section>
            ))}
          </>
        )}
      </div>
      <IntoCard
        file={file}
        target={isOne ? target : undefined}
        onTarget={(key) => {
          setNote(undefined)
          setTarget(key)
        }}
        choices={choices}
        onChoices={setChoices}
        newCount={countOf('new')}
        onlyHereCount={countOf('only here')}
        plan={plan.isFetching || plan.isError ? undefined : plan.data}
        isBusy={applying.isPending || note === 'unknown'}
        onApply={(comment) => {
          setNote(undefined)
          applying.mutate({ planned: plan.data?.planned, comment })
        }}
      />
    </div>
  )
}

async function refresh(namespaceKeys: readonly string[]): Promise<void> {
  await queryClient.invalidateQueries(namespacesQuery)
  for (const namespaceKey of namespaceKeys) await refreshNamespace(namespaceKey)
}

/** What the service keeps of a plan is deleted when another takes its place. */
function useDiscarded(plan: ImportPlan | undefined): void {
  useEffect(() => {
    return () => void plan?.planned?.discard().catch(() => {})
  }, [plan])
}
