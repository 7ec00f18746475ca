import { AlertDialog as BaseAlert } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import clsx from 'clsx'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, type RefObject, useRef, useState } from 'react'
import { useTexts } from '../text/texts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

export interface DialogProps {
  readonly isOpen: boolean
  /** Is asked to close it. */
  readonly onClose: () => void
  readonly title: ReactNode
  readonly children: ReactNode
  /** Buttons, the one primary at the end. */
  readonly footer?: ReactNode
  readonly size?: 'usual' | 'wide' | 'widest'
  /** Whether something was typed: then it asks before it closes. */
  readonly isDirty?: boolean
  /** Neither Escape nor a press outside closes it. */
  readonly isFirm?: boolean
  readonly hasClose?: boolean
  /** What gets the focus. @default the first field, else the title */
  readonly initialFocus?: RefObject<HTMLElement | null>
  /** What gets the focus after it. @default what opened it */
  readonly finalFocus?: RefObject<HTMLElement | null>
  readonly onSubmit?: () => void
  readonly className?: string
}

const widths = {
  usual: 'w-[min(var(--w-dialog),100%)]',
  wide: 'w-[min(var(--w-dialog-wide),100%)]',
  widest: 'w-[min(60rem,100%)]',
}

/** Where dialogs are: in the middle; on a narrow screen sheets from below. */
const viewport =
  'fixed inset-0 z-dialog grid grid-cols-[minmax(0,1fr)] place-items-center overflow-y-auto p-4 narrow:place-items-end narrow:p-0'
const backdrop = 'fade-motion fixed inset-0 z-dialog bg-scrim'
const popup =
  'dialog-motion flex max-h-[calc(100dvh-2rem)] flex-col rounded-4 bg-raised shadow-layer outline-none ' +
  'narrow:w-full narrow:max-h-[calc(100dvh-2rem)] narrow:rounded-b-none'

/** Something to decide or to fill in. @see Ask for one question */
export function Dialog({
  isOpen,
  onClose,
  title,
  children,
  footer,
  size = 'usual',
  isDirty = false,
  isFirm = false,
  hasClose = true,
  initialFocus,
  finalFocus,
  onSubmit,
  className,
}: DialogProps) {
  const t = useTexts(componentTexts)
  const popupRef = useRef<HTMLDivElement>(null)
  const [isAsking, setAsking] = useState(false)
  const askToClose = () => {
    if (isDirty) setAsking(true)
    else onClose()
  }
  const body = (
    <>
      <header className="flex items-start gap-3 px-6 pt-5 narrow:px-4">
        <Base.Title
          tabIndex={-1}
          className="min-w-0 flex-1 text-16 tracking-[-0.012em] wrap-break-word"
        >
          {title}
        </Base.Title>
        {hasClose && (
          <Button
            look="quiet"
            size="small"
            isIcon
            aria-label={t.close}
            className="-me-1"
            onClick={askToClose}
          >
            <Icon of={X} />
          </Button>
        )}
      </header>
      <div className="min-h-0 overflow-y-auto px-6 pt-4 pb-6 narrow:px-4">{children}</div>
      {footer !== undefined && (
        <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-4 border-t border-line bg-sunken px-4 py-3 narrow:rounded-none">
          {footer}
        </footer>
      )}
    </>
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onSubmit?.()
  }
  return (
    <>
      <Base.Root
        open={isOpen}
        onOpenChange={(open) => {
          if (!open && !isFirm) askToClose()
        }}
        disablePointerDismissal={isFirm}
      >
        <Base.Portal>
          <Base.Backdrop className={backdrop} />
          <Base.Viewport className={viewport}>
            <Base.Popup
              className={clsx(popup, widths[size], className)}
              ref={popupRef}
              initialFocus={initialFocus ?? (() => firstOf(popupRef.current))}
              {...(finalFocus && { finalFocus })}
            >
              {onSubmit === undefined ? (
                body
              ) : (
                <form onSubmit={submit} noValidate className="flex min-h-0 min-w-0 flex-col">
                  {body}
                </form>
              )}
            </Base.Popup>
          </Base.Viewport>
        </Base.Portal>
      </Base.Root>
      <Ask
        isOpen={isAsking}
        title={t.discardTyped}
        action={t.throwAway}
        cancel={t.keepEditing}
        isDanger
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          onClose()
        }}
      >
        {t.discardTypedText}
      </Ask>
    </>
  )
}

/** The first field, unless another has the focus already. */
function firstOf(popup: HTMLElement | null): HTMLElement | null {
  if (popup?.contains(document.activeElement)) return null
  const field = popup?.querySelector<HTMLElement>(
    'input:not([type=radio], [aria-hidden]), textarea',
  )
  return field ?? popup?.querySelector('h2') ?? null
}

export interface AskProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly title: ReactNode
  readonly children: ReactNode
  /** What the button does, such as `Delete new-checkout`. */
  readonly action: ReactNode
  readonly cancel?: string
  readonly isDanger?: boolean
  readonly isBusy?: boolean
  /** Why it cannot be done yet. */
  readonly disabledReason?: string | undefined
}

/** A question that has to be answered: nothing but its buttons and Escape closes it. */
export function Ask({
  isOpen,
  onClose,
  onConfirm,
  title,
  children,
  action,
  cancel,
  isDanger = false,
  isBusy = false,
  disabledReason,
}: AskProps) {
  const t = useTexts(componentTexts)
  return (
    <BaseAlert.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseAlert.Portal>
        <BaseAlert.Backdrop className={backdrop} />
        <BaseAlert.Viewport className={viewport}>
          <BaseAlert.Popup className={clsx(popup, widths.usual)}>
            <div className="min-h-0 overflow-y-auto px-6 pt-5 pb-6 narrow:px-4">
              <BaseAlert.Title className="text-16 tracking-[-0.012em] wrap-break-word">
                {title}
              </BaseAlert.Title>
              <BaseAlert.Description
                render={<div />}
                className="mt-3 grid gap-3 text-13 text-pretty text-muted"
              >
                {children}
              </BaseAlert.Description>
            </div>
            <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-4 border-t border-line bg-sunken px-4 py-3 narrow:rounded-none">
              <BaseAlert.Close render={<Button>{cancel ?? t.cancel}</Button>} />
              <Button
                look={isDanger ? 'danger-fill' : 'primary'}
                isBusy={isBusy}
                disabledReason={disabledReason}
                onClick={onConfirm}
              >
                {action}
              </Button>
            </footer>
          </BaseAlert.Popup>
        </BaseAlert.Viewport>
      </BaseAlert.Portal>
    </BaseAlert.Root>
  )
}

/** A panel at the side of the page, for something that is looked at beside it; below on a narrow screen. */
export function SidePanel({
  isOpen,
  onClose,
  title,
  children,
  footer,
  isDirty = false,
  onSubmit,
}: Omit<DialogProps, 'size'>) {
  const t = useTexts(componentTexts)
  const [isAsking, setAsking] = useState(false)
  const askToClose = () => (isDirty ? setAsking(true) : onClose())
  return (
    <>
      <Base.Root open={isOpen} onOpenChange={(open) => !open && askToClose()}>
        <Base.Portal>
          <Base.Backdrop className={backdrop} />
          <Base.Popup className="fixed inset-y-2 end-2 z-dialog flex w-[min(28rem,calc(100vw-1rem))] flex-col rounded-4 bg-raised shadow-layer transition-[opacity,translate] slow outline-none data-ending-style:translate-x-4 data-ending-style:opacity-0 data-starting-style:translate-x-4 data-starting-style:opacity-0 narrow:inset-x-0 narrow:top-auto narrow:bottom-0 narrow:max-h-[calc(100dvh-2rem)] narrow:w-full narrow:rounded-b-none">
            <form
              noValidate
              className="flex min-h-0 flex-1 flex-col"
              onSubmit={(event) => {
                event.preventDefault()
                onSubmit?.()
              }}
            >
              <header className="flex items-start gap-3 px-6 pt-5 narrow:px-4">
                <Base.Title className="min-w-0 flex-1 text-16 wrap-break-word">{title}</Base.Title>
                <Button look="quiet" size="small" isIcon aria-label={t.close} onClick={askToClose}>
                  <Icon of={X} />
                </Button>
              </header>
              <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-4 pb-6 narrow:px-4">
                {children}
              </div>
              {footer !== undefined && (
                <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-4 border-t border-line bg-sunken px-4 py-3">
                  {footer}
                </footer>
              )}
            </form>
          </Base.Popup>
        </Base.Portal>
      </Base.Root>
      <Ask
        isOpen={isAsking}
        title={t.discardTyped}
        action={t.throwAway}
        cancel={t.keepEditing}
        isDanger
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          onClose()
        }}
      >
        {t.discardTypedText}
      </Ask>
    </>
  )
}
