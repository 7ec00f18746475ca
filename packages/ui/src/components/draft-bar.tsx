import clsx from 'clsx'
import { Redo2, Undo2 } from 'lucide-react'
import { useFormat, useTexts } from '../text/texts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Keys } from './keys.tsx'
import { componentTexts } from './texts.ts'

interface Props {
  /** Changes as a person would count them. Without any there is no bar. */
  readonly count: number
  readonly onReview: () => void
  readonly onDiscard: () => void
  readonly onUndo?: (() => void) | undefined
  readonly onRedo?: (() => void) | undefined
  readonly isSaving?: boolean
  readonly isOffline?: boolean
  /** Whether it outlives a reload. */
  readonly isKept: boolean
  /** Such as what others have changed meanwhile. */
  readonly message?: string | undefined
  /** Why it cannot be saved. */
  readonly disabledReason?: string | undefined
}

/** What is not saved yet, and the way to save it. */
export function DraftBar({
  count,
  onReview,
  onDiscard,
  onUndo,
  onRedo,
  isSaving = false,
  isOffline = false,
  isKept,
  message,
  disabledReason,
}: Props) {
  const t = useTexts(componentTexts)
  const format = useFormat()
  if (count === 0) return null
  const offline = isKept ? t.cannotSaveOffline : t.offlineNotKept
  const whereabouts = isOffline ? offline : isKept ? t.keptHere : t.notKept
  return (
    <section
      aria-label={t.draft}
      className="sticky bottom-4 z-bar mx-auto mt-6 flex w-fit max-w-full flex-wrap items-center gap-3 rounded-4 bg-raised py-2 ps-4 pe-2 text-13 shadow-layer narrow:fixed narrow:inset-x-0 narrow:bottom-0 narrow:w-full narrow:rounded-b-none narrow:pb-[max(0.5rem,env(safe-area-inset-bottom))]"
    >
      <span className="flex items-center gap-2" role="status">
        <span className="size-1.75 flex-none rounded-full bg-draft-mark" aria-hidden="true" />
        <b className="whitespace-nowrap">{t.changes(count, format.number(count))}</b>
        <span className={clsx('text-muted', message === undefined && isKept && 'narrow:hidden')}>
          {isSaving ? t.saving : ((isKept ? message : undefined) ?? whereabouts)}
        </span>
      </span>
      <span className="ms-auto flex items-center gap-1">
        <Button
          look="quiet"
          isIcon
          aria-label={t.undo}
          aria-keyshortcuts="Control+Z"
          onClick={onUndo}
          className={onUndo === undefined ? 'invisible' : ''}
        >
          <Icon of={Undo2} />
        </Button>
        {onRedo && (
          <Button look="quiet" isIcon aria-label={t.redo} onClick={onRedo}>
            <Icon of={Redo2} />
          </Button>
        )}
        <Button look="quiet" onClick={onDiscard}>
          {t.discard}
        </Button>
        <Button
          look="primary"
          isBusy={isSaving}
          disabledReason={isOffline ? offline : disabledReason}
          aria-keyshortcuts="Control+S"
          onClick={onReview}
        >
          {t.review}
          <Keys of="mod s" onInk className="narrow:hidden" />
        </Button>
      </span>
    </section>
  )
}
