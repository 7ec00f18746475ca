import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useDone } from '../../app/done.tsx'
import { PageError } from '../../app/page-error.tsx'
import { PlannedNotes } from '../../app/planned/notes.tsx'
import { usePlanned } from '../../app/planned/use-planned.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { NamespaceName } from '../../components/tile.tsx'
import { queryClient } from '../../data/api.ts'
import { namespacesQuery, refreshNamespace } from '../../data/queries.ts'
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
  const heading = useRef<HTMLHeadingElement>(null)
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  const [only, ...others] = file.namespaces
  const isOne = others.length === 0
  const [target, setTarget] = useState(only?.namespaceKey ?? 'default')
  const [choices, setChoices] = useState<ImportChoices>({ keeps: false, deletes: false })

  const nameOf = (key: string) => namespaces.find((one) => one.key === key)?.name || key
  const { plan, current, isBusy, note, refusal, apply } = usePlanned<ImportPlan>({
    choices: [isOne ? target : '', choices],
    make: (signal) =>
      planImport(
        file.namespaces,
        ({ namespaceKey }) => (isOne ? target : namespaceKey),
        choices,
        signal,
      ),
    async refresh({ targets }) {
      await queryClient.invalidateQueries(namespacesQuery)
      for (const { namespaceKey } of targets) await refreshNamespace(namespaceKey)
    },
    onDone(applied) {
      const [first] = applied
      // A change of several namespaces is taken back in each of them.
      const isAlone = applied.length === 1 && first?.isNew === false
      const names = applied.map(({ namespaceKey }) => bold(nameOf(namespaceKey)))
      done(<Rich text={t.applied(list(names))} />, {
        namespaceKey: first?.namespaceKey ?? '',
        revision: isAlone ? first.revision : undefined,
      })
      onClose()
    },
  })
  useEffect(() => heading.current?.focus(), [])

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
          <Button size="small" onClick={onClose} disabledReason={isBusy ? t.applying : undefined}>
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
        <PlannedNotes note={note} refusals={[plan.data?.refusal, refusal]} />
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
        onTarget={setTarget}
        choices={choices}
        onChoices={setChoices}
        newCount={countOf('new')}
        onlyHereCount={countOf('only here')}
        plan={current}
        isBusy={isBusy}
        onApply={apply}
      />
    </div>
  )
}
