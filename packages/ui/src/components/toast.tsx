import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import { Icon } from './icon.tsx'

const manager = Toast.createToastManager()

interface ToastOptions {
  /** One thing to do about it, such as to undo it. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** A failure stays until it is closed. */
  readonly isFailure?: boolean
}

/** How long a sentence stays, and how long one that can be undone, in milliseconds. */
const usualMs = 6000
const undoMs = 8000

/** Says what has happened, at the edge of the page. */
export function showToast(text: ReactNode, { action, isFailure = false }: ToastOptions = {}) {
  const timeout = isFailure ? 0 : action === undefined ? usualMs : undoMs
  return manager.add({
    title: text,
    type: isFailure ? 'failure' : 'usual',
    priority: isFailure ? 'high' : 'low',
    timeout,
    ...(action && { actionProps: { children: action.label, onClick: action.run } }),
  })
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const t = useText()
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" data-type={toast.type}>
      <Toast.Title className="grow" render={<div />} />
      {toast.actionProps && <Toast.Action className="btn small" />}
      <Toast.Close className="btn ghost small icon" aria-label={t.common.close}>
        <Icon of={X} small />
      </Toast.Close>
    </Toast.Root>
  ))
}
