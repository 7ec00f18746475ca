import clsx from 'clsx'
import { Check } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useOfflineReason } from '../app/banner.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { Note } from '../components/note.tsx'
import { Avatar } from '../components/person.tsx'
import { componentTexts } from '../components/texts.ts'
import { showToast } from '../components/toast.tsx'
import { messageOf } from '../data/errors.ts'
import { personOfActor } from '../data/people.ts'
import { undo } from '../data/writes.ts'
import { Rich } from '../text/rich.tsx'
import { useTexts } from '../text/texts.ts'
import { tellRow } from './conflict-words.ts'
import type { Words } from './describe.ts'
import type { DocumentOf, Kind } from './documents.ts'
import { effectOf } from './effect.ts'
import { clean } from './marked.tsx'
import { type MergeRow, mergeDocuments, type Side } from './merge.ts'
import type { StepProps } from './review-dialog.tsx'
import type { StoredNow } from './save.ts'
import type { Stage } from './use-save.ts'

export interface ConflictProps<K extends Kind> extends StepProps<K> {
  readonly stage: Extract<Stage<K>, { kind: 'conflict' }>
}

/** Others have changed what the draft was made from: what fits is merged, what collides is asked. */
export default function ConflictDialog<K extends Kind>({ stage, ...props }: ConflictProps<K>) {
  const { standing, stored } = stage
  const { document } = stored
  if (standing.kind === 'deleted' || document === undefined)
    return <Deleted {...props} stored={stored} />
  return <Merging {...props} stored={stored} versions={{ ...standing, theirs: document }} />
}

interface Versions<K extends Kind> {
  readonly base: DocumentOf[K]
  readonly mine: DocumentOf[K]
  readonly theirs: DocumentOf[K]
}

function Merging<K extends Kind>({
  id,
  handle,
  name,
  words,
  way,
  onClose,
  stored,
  versions: { base, mine, theirs },
}: StepProps<K> & { readonly stored: StoredNow<K>; readonly versions: Versions<K> }) {
  const { t, format } = words
  const c = useTexts(componentTexts)
  const merge = useMemo(
    () => mergeDocuments(id.kind, base, mine, theirs),
    [id.kind, base, mine, theirs],
  )
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map())
  const sideOf = (path: string) => choices.get(path) ?? 'mine'
  const result = useMemo(
    () => merge.resolve((path) => choices.get(path) ?? 'mine'),
    [merge, choices],
  )
  const who = tellWho(stored, words)
  const { collisions, rows } = merge
  const asked = collisions.length
  const fit = rows.filter(({ from }) => from === 'mine' || from === 'both').length
  // It is compared with what people have now.
  const effect = effectOf(id.kind, theirs, result, words)
  const sorted = [...collisions, ...rows.filter(({ from }) => from !== 'ask')]
  const isBoolean = 'type' in theirs && theirs.type === 'BOOLEAN_FLAG_TYPE'

  const takeAll = () => {
    const { draft } = handle
    way.restart(theirs, stored.etag)
    showToast(t.tookAll, {
      action: { label: c.undo, run: () => handle.restart(draft.base, draft.etag, draft.present) },
    })
  }
  return (
    <Dialog
      isOpen
      size="widest"
      onClose={onClose}
      title={
        <span className="flex items-center gap-2.5">
          {who !== undefined && <Avatar name={who.name} isBot={who.isBot} />}
          <span className="min-w-0">
            <Rich
              text={
                who === undefined
                  ? t.changedByOthers(clean(name))
                  : t.changedBy(who.name, clean(name), who.when)
              }
            />
          </span>
        </span>
      }
      footer={
        <>
          <Button look="quiet" className="me-auto" onClick={takeAll}>
            {t.takeAll(who?.name ?? t.unnamed)}
          </Button>
          <Button onClick={onClose}>{t.backToDraft}</Button>
          <Button look="primary" onClick={() => way.restart(theirs, stored.etag, result)}>
            {t.reviewResult}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-13 text-muted">
          {t.nothingLost}{' '}
          {asked === 0 ? t.allFit : t.someFit(fit, format.number(fit), format.number(asked), asked)}
        </p>
        <section
          aria-label={t.differences}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          tabIndex={0}
          className="overflow-x-auto rounded-3 border border-line"
        >
          <table className="w-full text-13 narrow:block">
            <thead className="bg-sunken text-12 text-muted narrow:sr-only">
              <tr>
                {[t.what, t.before, t.them(who?.name ?? t.unnamed), t.you].map((text) => (
                  <th key={text} scope="col" className="h-8.5 px-4 text-start font-[450]">
                    {text}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line narrow:block">
              {sorted.map((row) => (
                <Row
                  key={row.path}
                  row={row}
                  told={tellRow(row, id.kind, isBoolean, words)}
                  labels={[t.before, who?.name ?? t.unnamed, t.you]}
                  side={sideOf(row.path)}
                  words={words}
                  onChoose={(side) => setChoices(new Map([...choices, [row.path, side]]))}
                />
              ))}
            </tbody>
          </table>
        </section>
        {effect !== undefined && (
          <p className="text-13" role="status">
            <b className="font-[550]">{t.result}</b>{' '}
            <span className="text-muted">{effect.told.map(({ text }) => text).join(' ')}</span>
          </p>
        )}
      </div>
    </Dialog>
  )
}

interface RowProps {
  readonly row: MergeRow
  readonly told: ReturnType<typeof tellRow>
  readonly labels: readonly [before: string, theirs: string, mine: string]
  readonly side: Side
  readonly words: Words
  readonly onChoose: (side: Side) => void
}

function Row({ row, told, labels, side, words: { t }, onChoose }: RowProps) {
  const { from, path } = row
  const isAsked = from === 'ask'
  const cell = 'px-4 py-2.5 align-top wrap-anywhere narrow:flex narrow:gap-2 narrow:py-1'
  const label = (text: string) => (
    <span className="hidden w-28 flex-none text-12 text-muted narrow:inline" aria-hidden="true">
      {text}
    </span>
  )
  const changed = (one: Side) =>
    row[one] === undefined && row.place.field === undefined ? (
      <del>{t.removed}</del>
    ) : (
      <ins>{told[one]}</ins>
    )
  const version = (one: Side) => {
    const isChanged = from === one || from === 'both'
    if (isAsked) {
      return (
        <label className="flex min-h-6 cursor-pointer items-start gap-2 touch:min-h-11 touch:items-center">
          <input
            type="radio"
            name={path}
            className="mt-0.5 size-4 flex-none accent-ink"
            checked={side === one}
            onChange={() => onChoose(one)}
          />
          {changed(one)}
        </label>
      )
    }
    if (!isChanged) return <span className="text-muted">{t.notChanged}</span>
    return (
      <span className="flex items-start gap-1.5">
        <Icon of={Check} small className="mt-0.5 text-on" />
        <span className="sr-only">{t.taken}: </span>
        {changed(one)}
      </span>
    )
  }
  return (
    <tr className={clsx('narrow:block narrow:py-2', isAsked && 'bg-draft-soft')}>
      <th scope="row" className={clsx(cell, 'min-w-28 text-start font-[550] narrow:block')}>
        <span className="flex items-center gap-2">
          {isAsked && (
            <span className="size-1.75 flex-none rounded-full bg-draft-mark" aria-hidden="true" />
          )}
          {told.what}
          {isAsked && <span className="sr-only">: {t.choose}</span>}
        </span>
      </th>
      <td className={clsx(cell, 'text-muted')}>
        {label(labels[0])}
        <span>{told.base}</span>
      </td>
      <td className={cell}>
        {label(labels[1])}
        {version('theirs')}
      </td>
      <td className={cell}>
        {label(labels[2])}
        {version('mine')}
      </td>
    </tr>
  )
}

/** Others have deleted what the draft is of. It can be brought back as it was. */
function Deleted<K extends Kind>({
  id,
  name,
  words,
  way,
  stored,
  onClose,
}: StepProps<K> & { readonly stored: StoredNow<K> }) {
  const { t } = words
  const offlineReason = useOfflineReason()
  const [isBusy, setBusy] = useState(false)
  const who = tellWho(stored, words)
  const deletion = stored.changes.findLast(({ items }) =>
    items.some(({ key, action }) => key === id.key && action === 'DELETED_ACTION'),
  )
  const bringBack = async (revision: number) => {
    setBusy(true)
    try {
      await undo(id.namespaceKey, revision)
      await way.settle(false)
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <Rich
          text={
            who === undefined
              ? t.deletedByOthers(clean(name))
              : t.deletedBy(who.name, clean(name), who.when)
          }
        />
      }
      footer={
        <>
          <Button onClick={onClose}>{t.backToDraft}</Button>
          {deletion !== undefined && (
            <Button
              look="primary"
              isBusy={isBusy}
              disabledReason={offlineReason}
              onClick={() => void bringBack(deletion.revision)}
            >
              {t.bringBack}
            </Button>
          )}
        </>
      }
    >
      <Note>{`${t.nothingLost} ${t.deletedText}`}</Note>
    </Dialog>
  )
}

/** Who has changed it since, and when last; nothing when that is not known. */
function tellWho<K extends Kind>(
  { changes }: StoredNow<K>,
  { format }: Words,
): { readonly name: string; readonly isBot: boolean; readonly when: string } | undefined {
  const last = changes.at(-1)
  const people = changes.flatMap(({ actor }) => personOfActor(actor) ?? [])
  const names = new Set(people.map((person) => clean(person.name)))
  if (last === undefined || names.size === 0) return undefined
  return {
    name: format.list(names),
    isBot: people.every((person) => person.isBot),
    when: format.relative(last.at),
  }
}
