import { lazy, type ReactNode, Suspense } from 'react'
import type { DraftHandle } from '../data/drafts.ts'
import type { KnownSegment } from './describe.ts'
import type { DocumentOf, Kind } from './documents.ts'
import type { ReviewedId } from './save.ts'

export interface ReviewProps<K extends Kind> {
  readonly id: ReviewedId<K>
  readonly handle: DraftHandle<DocumentOf[K]>
  /** The tag of the object as the page has it now: others may have changed it since the draft was begun. */
  readonly etag: string | undefined
  /** Those of the namespace, as far as they are known. */
  readonly segments: readonly KnownSegment[]
  /** Of a segment: how many flags use it. */
  readonly usedBy?: number | undefined
  readonly onClose: () => void
}

// It is loaded when something is saved first. What is lazy has no type parameters.
const Way = lazy(() => import('./way.tsx')) as unknown as <K extends Kind>(
  props: ReviewProps<K>,
) => ReactNode

/**
 * From a draft to what is saved: what it changes is shown, then saved with a comment; when others have
 * changed the object meanwhile, both versions are merged first. The page shows it while it is open, and
 * closes it when it is asked to.
 */
export function Review<K extends Kind>(props: ReviewProps<K>) {
  return (
    <Suspense fallback={null}>
      <Way {...props} />
    </Suspense>
  )
}
