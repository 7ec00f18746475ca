import type { FlagDocument } from '@svc/client/api'
import { useRef } from 'react'
import { useFlag } from '../here.ts'

export interface Edits {
  /**
   * Edits the draft.
   *
   * @param field what is being typed or dragged: one step of undo as long as it is the same
   */
  readonly edit: (change: (flag: FlagDocument) => FlagDocument, field?: string) => void
  /** What is typed or dragged next is another step of undo. */
  readonly end: () => void
}

export function useEdits(): Edits {
  const { draft } = useFlag()
  const last = useRef<string>(undefined)
  return {
    edit(change, field) {
      draft.edit(change(draft.draft.present), field !== undefined && field === last.current)
      last.current = field
    },
    end() {
      last.current = undefined
    },
  }
}
