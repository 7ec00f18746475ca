import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { usePageNamespace } from '../app/namespace.ts'
import { constraintTexts } from '../constraints/texts.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import type { ConflictProps } from './conflict-dialog.tsx'
import type { KnownSegment, Words } from './describe.ts'
import type { Kind } from './documents.ts'
import type { ReviewProps } from './review.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { reviewTexts } from './texts.ts'
import { useSave } from './use-save.ts'

// Few who save have to merge. What is lazy has no type parameters.
const ConflictDialog = lazy(() => import('./conflict-dialog.tsx')) as unknown as <K extends Kind>(
  props: ConflictProps<K>,
) => ReactNode

/** The steps from a draft to what is saved. @see Review */
export default function Way<K extends Kind>(props: ReviewProps<K>) {
  const { id, handle, etag, onClose } = props
  const namespace = usePageNamespace()
  const words = useWords(props.segments)
  const name = handle.draft.base.name || id.key
  const way = useSave({ id, name, namespace, handle, etag, onClose })
  useEffect(() => focusLater, [])
  const shared = { ...props, name, namespace, words, way }
  if (way.stage.kind === 'reading') return null
  return way.stage.kind === 'conflict' ? (
    <Suspense fallback={null}>
      <ConflictDialog {...shared} stage={way.stage} />
    </Suspense>
  ) : (
    <ReviewDialog {...shared} />
  )
}

/** What sentences about a draft are made with, in the language of the reader. */
export function useWords(segments: readonly KnownSegment[]): Words {
  const t = useTexts(reviewTexts)
  const c = useTexts(constraintTexts)
  const format = useFormat()
  return { t, c, format, segments }
}

/** What opened the review is gone once it is saved: then the heading of the page gets the focus. */
function focusLater(): void {
  // The dialog gives the focus back first.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return
      document.querySelector<HTMLElement>('#main h1')?.focus({ preventScroll: true })
    }),
  )
}
