import { type ApplyResult, type PlannedItem, SvcError } from '@svc/client/api'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useOfflineReason } from '../app/banner.tsx'
import { useDone } from '../app/done.tsx'
import { Button } from '../components/button.tsx'
import { link } from '../components/classes.ts'
import { Icon } from '../components/icon.tsx'
import { Note } from '../components/note.tsx'
import { componentTexts } from '../components/texts.ts'
import { WhyField } from '../components/why-field.tsx'
import { isConflict, isUnsettled, messageOf } from '../data/errors.ts'
import { Rich } from '../text/rich.tsx'
import { useTexts } from '../text/texts.ts'
import { FieldList } from './field-list.tsx'
import type { Plan } from './plans.ts'
import { useTeller } from './teller.ts'
import { objectMark, tellItem } from './telling.ts'
import { historyPartTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly plan: Plan
  readonly title: string
  /** Of the button that does it. */
  readonly action: string
  /** Said when nothing would change. */
  readonly nothing: string
  /** Said when it is done. */
  readonly done: string
  /** Whether it can be done in spite of later changes. */
  readonly canForce: boolean
  readonly isBoolean: boolean
  readonly onClose: () => void
}

/** What an undo or a restore would change, before it is done. */
export function PlanPanel({
  namespaceKey,
  plan,
  title,
  action,
  nothing,
  done: doneText,
  canForce,
  isBoolean,
  onClose,
}: Props) {
  const t = useTexts(historyPartTexts)
  const c = useTexts(componentTexts)
  const done = useDone()
  const offlineReason = useOfflineReason()
  const [comment, setComment] = useState('')
  const [isForced, setForced] = useState(false)
  const panel = useRef<HTMLDivElement>(null)

  const looking = useMutation({ mutationFn: (force: boolean) => plan.look(force) })
  const running = useMutation({
    mutationFn: (looked: ApplyResult) => plan.run(looked, comment.trim(), isForced),
    onSuccess: ({ revision }) => {
      onClose()
      done(<Rich text={doneText} />, { namespaceKey, revision })
    },
    onError: (error) => {
      // What others did meanwhile is part of what is shown.
      if (isConflict(error)) look(isForced)
    },
  })
  const look = (force: boolean) => {
    setForced(force)
    looking.mutate(force)
  }
  const { mutate } = looking
  useEffect(() => {
    mutate(false)
    panel.current?.focus()
  }, [mutate])

  const close = (
    <Button size="small" onClick={onClose}>
      {c.cancel}
    </Button>
  )
  const error = looking.error ?? running.error
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || running.isPending) return
        event.stopPropagation()
        onClose()
      }}
      className="grid gap-3 rounded-3 border border-draft-line bg-draft-soft px-4 py-3 text-13"
    >
      <div className="flex gap-3">
        <Icon of={Undo2} className="mt-0.5 text-draft" />
        <div className="min-w-0 flex-1">
          <b>{title}</b> <span>{t.planned}</span>
        </div>
      </div>
      <div aria-live="polite" className="grid gap-3">
        {looking.isPending && <p className="text-muted">{t.planning}</p>}
        {error !== null && (
          <Failure
            namespaceKey={namespaceKey}
            error={error}
            {...(canForce && !isForced && isConflict(error) && { onForce: () => look(true) })}
          />
        )}
        {looking.data !== undefined && !looking.isPending && (
          <Planned
            result={looking.data}
            namespaceKey={namespaceKey}
            isBoolean={isBoolean}
            nothing={nothing}
            lead={isForced ? t.forceText : undefined}
          />
        )}
      </div>
      {looking.data !== undefined && looking.data.items.length > 0 ? (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (looking.data !== undefined && !running.isPending) running.mutate(looking.data)
          }}
        >
          <div className="min-w-48 flex-1">
            <WhyField value={comment} onChange={setComment} />
          </div>
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button
            type="submit"
            look="primary"
            isBusy={running.isPending}
            disabledReason={offlineReason}
          >
            {action}
          </Button>
        </form>
      ) : (
        <div>{close}</div>
      )}
    </section>
  )
}

interface PlannedProps {
  readonly result: ApplyResult
  readonly namespaceKey: string
  readonly isBoolean: boolean
  readonly nothing: string
  readonly lead: string | undefined
}

/** Objects of a plan that are shown. */
const maxItems = 50

function Planned({ result, namespaceKey, isBoolean, nothing, lead }: PlannedProps): ReactNode {
  const t = useTexts(historyPartTexts)
  const teller = useTeller(namespaceKey)
  const { items } = result
  const [only] = items
  if (only === undefined) return <p>{nothing}</p>
  return (
    <div className="grid gap-2 rounded-2 border border-line bg-raised px-3 py-2.5">
      {lead !== undefined && <p className="text-muted">{lead}</p>}
      {items.length === 1 && only.action === 'UPDATED_ACTION' ? (
        <FieldList changes={only.changes} isBoolean={isBoolean} />
      ) : (
        <ul className="grid gap-1">
          {items.slice(0, maxItems).map((item) => (
            <li key={`${item.kind} ${item.key}`} className="wrap-anywhere">
              <Rich text={tellPlanned(item)} />
            </li>
          ))}
          {items.length > maxItems && (
            <li className="text-muted">{t.changedMany(teller.format.number(items.length))}</li>
          )}
        </ul>
      )}
    </div>
  )

  function tellPlanned(item: PlannedItem): string {
    return tellItem(item, teller).replace(objectMark, item.key)
  }
}

interface FailureProps {
  readonly namespaceKey: string
  readonly error: Error
  readonly onForce?: () => void
}

/** Why it cannot be done, what to look at, and what can be done all the same. */
function Failure({ namespaceKey, error, onForce }: FailureProps) {
  const t = useTexts(historyPartTexts)
  const offlineReason = useOfflineReason()
  if (isUnsettled(error)) return <Note kind="failure">{t.unsettled}</Note>
  const message = messageOf(error)
  const isLater = error instanceof SvcError && error.status === 412
  const later = isLater
    ? [...message.matchAll(/\(revision (\d+)\)/g)].map(([, one = '']) => one)
    : []
  return (
    <Note
      kind="failure"
      action={
        onForce && (
          <Button size="small" disabledReason={offlineReason} onClick={onForce}>
            {t.force}
          </Button>
        )
      }
    >
      <b>{isLater ? t.conflictTitle : t.failedTitle}</b>
      <p className="wrap-anywhere">{message}</p>
      {isLater && <p className="text-muted">{t.conflictText}</p>}
      {later.length > 0 && (
        <p className="flex flex-wrap gap-3">
          {[...new Set(later)].map((revision) => (
            <Link
              key={revision}
              to="/ns/$namespaceKey/changes"
              params={{ namespaceKey }}
              search={{ open: Number(revision) }}
              className={link}
            >
              {t.lookAt(revision)}
            </Link>
          ))}
        </p>
      )}
    </Note>
  )
}
