import type { Change, ChangeItem } from '@svc/client/api'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useOfflineReason } from '../app/banner.tsx'
import { Button } from '../components/button.tsx'
import { Facts } from '../components/card.tsx'
import { CopyKey } from '../components/copy-key.tsx'
import { Icon } from '../components/icon.tsx'
import { Note } from '../components/note.tsx'
import { Terminal } from '../components/terminal.tsx'
import { messageOf } from '../data/errors.ts'
import { moreItemsQuery } from '../data/history.ts'
import { svc } from '../data/terminal.ts'
import { Rich } from '../text/rich.tsx'
import { useFormat, useTexts } from '../text/texts.ts'
import { nameOf, readDocument } from './documents.ts'
import { ItemDiff } from './item-diff.tsx'
import { PlanPanel } from './plan-panel.tsx'
import { restorePlan, undoPlan } from './plans.ts'
import { ObjectLink } from './sentence.tsx'
import { useTeller } from './teller.ts'
import { objectMark, tellItem } from './telling.ts'
import { historyPartTexts } from './texts.ts'
import { methodOf, whoOf } from './who.ts'

interface Props {
  readonly change: Change
  readonly namespaceKey: string
  /** Whether the object is as this change has made it: there is nothing to restore. */
  readonly isNow: boolean
  /** More that can be done, such as to show what else the same person did. */
  readonly actions?: ReactNode
  /** Gives the focus back when a question is closed. */
  readonly onClosed: () => void
}

/** All of a change: why, what exactly, where it came from, and to take it back. */
export function ChangeDetails({ change, namespaceKey, isNow, actions, onClosed }: Props) {
  const t = useTexts(historyPartTexts)
  const offlineReason = useOfflineReason()
  const [asked, setAsked] = useState<'undo' | 'restore'>()
  const { items, itemCount, comment } = change
  const [only] = items
  const item = itemCount === 1 ? only : undefined
  const revision = String(change.revision)
  const restore = item && !isNow ? restorePlan(namespaceKey, change, item) : undefined
  const close = () => {
    setAsked(undefined)
    onClosed()
  }
  const panel = {
    namespaceKey,
    isBoolean: item !== undefined && isBoolean(item),
    onClose: close,
  }
  return (
    <div className="grid gap-3">
      {comment !== '' && (
        <p className="text-13 whitespace-pre-wrap text-muted wrap-anywhere">{t.quote(comment)}</p>
      )}
      {item !== undefined && <ItemDiff item={item} namespaceKey={namespaceKey} />}
      {itemCount > 1 && <Items change={change} namespaceKey={namespaceKey} />}
      <ChangeFacts change={change} />
      <div className="flex flex-wrap gap-2">
        {itemCount > 0 && (
          <Button
            size="small"
            aria-expanded={asked === 'undo'}
            disabledReason={offlineReason}
            onClick={() => setAsked('undo')}
          >
            {t.undo}
          </Button>
        )}
        {restore !== undefined && (
          <Button
            size="small"
            aria-expanded={asked === 'restore'}
            disabledReason={offlineReason}
            onClick={() => setAsked('restore')}
          >
            {t.restore}
          </Button>
        )}
        {actions}
      </div>
      {itemCount > 0 && <Terminal command={svc(namespaceKey, 'undo', revision)} />}
      {asked === 'undo' && (
        <PlanPanel
          {...panel}
          key="undo"
          plan={undoPlan(namespaceKey, change)}
          title={t.undoTitle(revision)}
          action={t.undoDo}
          nothing={t.undoNothing}
          done={item ? t.undoneOf(nameOf(item), revision) : t.undone(revision)}
          canForce
        />
      )}
      {asked === 'restore' && restore !== undefined && item !== undefined && (
        <PlanPanel
          {...panel}
          key="restore"
          plan={restore}
          title={t.restoreTitle(revision)}
          action={t.restoreDo}
          nothing={t.restoreNothing}
          done={t.restoredOf(nameOf(item), revision)}
          canForce={false}
        />
      )}
    </div>
  )
}

function isBoolean(item: ChangeItem): boolean {
  return readDocument(item.after ?? item.before).type === 'BOOLEAN_FLAG_TYPE'
}

/** The objects of a change of several, each with its difference behind it. */
function Items({
  change,
  namespaceKey,
}: {
  readonly change: Change
  readonly namespaceKey: string
}) {
  const t = useTexts(historyPartTexts)
  const { number } = useFormat()
  const more = useInfiniteQuery(moreItemsQuery(namespaceKey, change))
  const items = [...change.items, ...(more.data?.pages ?? []).flatMap((page) => page.items)]
  const rest = change.itemCount - items.length
  return (
    <div className="grid gap-2">
      <ul className="divide-y divide-line rounded-3 border border-line bg-raised">
        {items.map((item) => (
          <ItemRow key={`${item.kind} ${item.key}`} item={item} namespaceKey={namespaceKey} />
        ))}
      </ul>
      {rest > 0 && (
        <div>
          <Button
            size="small"
            isBusy={more.isFetching}
            onClick={() => void (more.data === undefined ? more.refetch() : more.fetchNextPage())}
          >
            {t.moreObjects(number(rest))}
          </Button>
        </div>
      )}
      {more.isError && <Note kind="failure">{messageOf(more.error)}</Note>}
    </div>
  )
}

function ItemRow({
  item,
  namespaceKey,
}: {
  readonly item: ChangeItem
  readonly namespaceKey: string
}) {
  const t = useTexts(historyPartTexts)
  const teller = useTeller(namespaceKey)
  const [isOpen, setOpen] = useState(false)
  const [before = '', after = ''] = tellItem(item, teller).split(objectMark)
  return (
    <li>
      <div className="flex min-h-9 items-center gap-2 ps-3 pe-1.5 text-13">
        <span className="min-w-0 flex-1 py-1 wrap-anywhere">
          <Rich text={before} />
          <ObjectLink item={item} namespaceKey={namespaceKey} />
          <Rich text={after} />
        </span>
        <Button
          look="quiet"
          size="small"
          isIcon
          aria-expanded={isOpen}
          aria-label={t.difference(nameOf(item))}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} small />
        </Button>
      </div>
      {isOpen && (
        <div className="px-3 pb-3">
          <ItemDiff item={item} namespaceKey={namespaceKey} />
        </div>
      )}
    </li>
  )
}

/** Where a change came from, as far as it is known. */
function ChangeFacts({ change }: { readonly change: Change }) {
  const t = useTexts(historyPartTexts)
  const { actor, source, requestId, details, hash, revision } = change
  const method = methodOf(actor, t)
  const { from, note, gap } = details ?? {}
  const facts: (readonly [ReactNode, ReactNode, string])[] = [
    [t.by, `${whoOf(actor, t).name}${method === '' ? '' : ` (${method})`}`, 'by'],
    [t.source, isSource(source, t.sources) ? t.sources[source] : source, 'source'],
    [t.revision, <code key="revision">{revision}</code>, 'revision'],
  ]
  const add = (name: string, value: unknown, shown: ReactNode) => {
    if (typeof value === 'string' && value !== '') facts.push([name, shown, name])
  }
  add(t.address, actor.address, <code>{actor.address}</code>)
  add(t.request, requestId, <CopyKey text={requestId} />)
  add(t.from, from, String(from))
  add(t.note, note, <span className="whitespace-pre-wrap">{String(note)}</span>)
  add(t.hash, hash, <CopyKey text={hash} />)
  return (
    <>
      <Facts facts={facts} />
      {isGap(gap) && <Note>{t.gap(String(gap.from), String(gap.to))}</Note>}
    </>
  )
}

function isSource<Sources extends object>(
  source: string,
  sources: Sources,
): source is string & keyof Sources {
  return source in sources
}

function isGap(value: unknown): value is { readonly from: number; readonly to: number } {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value
}
