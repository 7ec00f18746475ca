import { Toast } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTexts } from '../text/texts.ts'
import { Button, buttonClass } from './button.tsx'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

const manager = Toast.createToastManager()

interface ToastOptions {
  /** One thing to do about it, such as to undo it. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** A failure stays until it is closed. */
  readonly isFailure?: boolean
  /** The toast that it takes the place of. */
  readonly id?: string
  /** A person closes it, or does what it offers. */
  readonly onDismiss?: () => void
}

/** How long a sentence stays, and how long one that can be undone, in milliseconds. */
const usualMs = 6000
const undoMs = 8000

/**
 * Says what has happened, at the edge of the page.
 *
 * @returns what closes it
 */
export function showToast(
  text: ReactNode,
  { action, isFailure = false, id, onDismiss }: ToastOptions = {},
): () => void {
  const timeout = isFailure ? 0 : action === undefined ? usualMs : undoMs
  const shownAt = performance.now()
  const toast = manager.add({
    ...(id !== undefined && { id }),
    title: text,
    type: isFailure ? 'failure' : 'usual',
    timeout,
    // It closes by itself as well, after its time.
    onClose: () => {
      if (timeout === 0 || performance.now() - shownAt < timeout) onDismiss?.()
    },
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(toast)
          onDismiss?.()
          action.run()
        },
      },
    }),
  })
  return () => manager.close(toast)
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  const t = useTexts(componentTexts)
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport
          aria-label={t.notifications}
          className="fixed end-5 bottom-5 z-toast grid w-92 max-w-[calc(100vw-2rem)] gap-2 outline-none narrow:end-4 narrow:bottom-20"
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const t = useTexts(componentTexts)
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      swipeDirection={['down', 'right']}
      className="dialog-motion rounded-3 bg-raised shadow-layer data-limited:opacity-0"
    >
      <Toast.Content className="flex items-center gap-3 py-3 ps-4 pe-3 text-13">
        <Icon
          of={toast.type === 'failure' ? CircleAlert : CircleCheck}
          className={toast.type === 'failure' ? 'text-danger' : 'text-on'}
        />
        <Toast.Title
          className="min-w-0 flex-1 wrap-break-word"
          // The library would say it in a second place, and hide this one, whose buttons take the focus.
          render={<div role={toast.type === 'failure' ? 'alert' : undefined} />}
        />
        {toast.actionProps && <Toast.Action className={buttonClass({ size: 'small' })} />}
        <Toast.Close render={<Button look="quiet" size="small" isIcon aria-label={t.close} />}>
          <Icon of={X} small />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
