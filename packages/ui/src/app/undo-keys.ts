import { useEffect } from 'react'
import { isTyping } from '../../app/shortcuts.ts'

interface Steps {
  readonly undo: (() => void) | undefined
  readonly redo: (() => void) | undefined
}

/** ⌘Z and ⇧⌘Z go through the steps of a draft. Where text is typed, the browser takes back what was typed. */
export function useUndoKeys({ undo, redo }: Steps): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z'
      const isInLayer =
        event.target instanceof Element && event.target.closest('[role=dialog]') !== null
      if (!isUndo || event.defaultPrevented || isTyping(event.target) || isInLayer) return
      const run = event.shiftKey ? redo : undo
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}
