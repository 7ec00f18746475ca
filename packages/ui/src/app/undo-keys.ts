import { useEffect } from 'react'
import { isTyping, targetOf } from './shortcuts.ts'

interface Steps {
  readonly undo: (() => void) | undefined
  readonly redo: (() => void) | undefined
}

/**
 * ⌘Z and ⇧⌘Z go through the steps of a draft. Where text is typed, the browser or its editor takes back what was
 * typed; a share is no text.
 */
export function useUndoKeys({ undo, redo }: Steps): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z'
      const isInLayer =
        event.target instanceof Element && event.target.closest('[role=dialog]') !== null
      const target = targetOf(event)
      const isText = isTyping(target) && !isShare(target)
      if (!isUndo || event.defaultPrevented || isText || isInLayer) return
      const run = event.shiftKey ? redo : undo
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}

function isShare(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.dataset.share !== undefined
}
