import type { ReactNode } from 'react'
import { showToast } from '../components/toast.tsx'
import { isUnsettled, messageOf } from '../data/errors.ts'
import { followPropagation } from '../data/propagation.ts'
import { isUndone, undo } from '../data/writes.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import { useLost } from './lost.ts'
import { appTexts } from './texts.ts'

interface Done {
  readonly namespaceKey: string
  /** Of the change; without one there is nothing to take back. */
  readonly revision: number | undefined
  /** Another action than to undo it. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** After it was taken back. */
  readonly onUndone?: () => void
  /** Whether it is said when all gateways have it. @default true */
  readonly isFollowed?: boolean
}

let count = 0

/** @returns what says that a change is made, with Undo, and then where it is live */
export function useDone(): (text: ReactNode, done: Done) => void {
  const t = useTexts(appTexts)
  const { number } = useFormat()
  const settle = useLost()
  return (text, { namespaceKey, revision, action, onUndone, isFollowed = true }) => {
    const id = `done-${++count}`
    let isDismissed = false
    const takeBack = async (revision: number) => {
      const finish = () => {
        onUndone?.()
        showToast(t.undone)
      }
      try {
        await undo(namespaceKey, revision)
      } catch (error) {
        if (!isUnsettled(error)) showToast(t.notUndone(messageOf(error)), { isFailure: true })
        else if (await settle(t.undo, () => isUndone(namespaceKey, revision))) finish()
        return
      }
      finish()
    }
    const shown =
      action ??
      (revision === undefined ? undefined : { label: t.undo, run: () => void takeBack(revision) })
    const show = (more?: string) =>
      showToast(
        <>
          {text}
          {more !== undefined && <span className="block text-12 text-muted">{more}</span>}
        </>,
        {
          id,
          ...(shown && { action: shown }),
          onDismiss: () => {
            isDismissed = true
          },
        },
      )
    show()
    if (revision === undefined || !isFollowed) return
    followPropagation(namespaceKey, revision).then(
      ({ gateways, reached, settled, slowestMs }) => {
        // What was taken back, or closed, does not come again.
        if (gateways === 0 || isDismissed) return
        const counts = [number(reached), number(gateways)] as const
        show(
          settled && slowestMs !== undefined
            ? t.liveOn(...counts, `${number(Math.round(slowestMs))} ms`)
            : t.notYetLive(...counts),
        )
      },
      // It is saved, whether that can be asked or not.
      () => {},
    )
  }
}
