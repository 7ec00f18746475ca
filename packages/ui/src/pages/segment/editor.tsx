import type { SegmentDocument, StoredSegment } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { useUndoKeys } from '../../app/undo-keys.ts'
import { DraftBar } from '../../components/draft-bar.tsx'
import { componentTexts } from '../../components/texts.ts'
import { showToast } from '../../components/toast.tsx'
import { problemOf } from '../../constraints/problems.ts'
import { useDraft } from '../../data/drafts.ts'
import { flagsQuery, segmentsQuery } from '../../data/queries.ts'
import { Review } from '../../review/review.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { ConstraintList } from './constraint-list.tsx'
import { SegmentHead } from './head.tsx'
import { countChanges } from './rows.ts'
import { TestBox } from './test-box.tsx'
import { segmentTexts } from './texts.ts'
import { maxNamed, UsedBy } from './used-by.tsx'

interface Props {
  readonly namespace: PageNamespace
  readonly stored: StoredSegment
  readonly etag: string | undefined
}

/** A segment with its draft. */
export function SegmentEditor({ namespace, stored, etag }: Props) {
  const t = useTexts(segmentTexts)
  const c = useTexts(componentTexts)
  const { number } = useFormat()
  const { segment } = stored
  const id = { namespaceKey: namespace.key, kind: 'segment', key: segment.key } as const
  const handle = useDraft<SegmentDocument>(id, segment, etag)
  const { base, present } = handle.draft
  const isOffline = useOfflineReason() !== undefined
  const users = useQuery(
    flagsQuery({
      namespaceKey: namespace.key,
      segment: segment.key,
      sort: 'name',
      limit: maxNamed,
    }),
  )
  const usedBy = users.data?.totalCount ?? 0
  const { data: known } = useQuery(segmentsQuery(namespace.key))
  const navigate = useNavigate({ from: '/ns/$namespaceKey/segments/$segmentKey' })
  const search = useSearch({ from: '/inside/ns/$namespaceKey/segments/$segmentKey' })
  const showReview = (isShown: boolean) => {
    navigate({ to: '.', search: isShown ? { review: true } : {}, replace: true }).catch(() => {})
  }
  const [openId, setOpenId] = useState<string>()
  const [isAttempted, setAttempted] = useState(false)
  /** Letters of the same word are one step. */
  const lastEdit = useRef<string>(undefined)
  const edit = (next: Partial<SegmentDocument>, what?: string) => {
    handle.edit({ ...present, ...next }, what !== undefined && what === lastEdit.current)
    lastEdit.current = what
  }
  const step = (run: (() => void) | undefined) => () => {
    lastEdit.current = undefined
    run?.()
  }

  const wrong = present.constraints.find((one) => problemOf(one) !== undefined)
  const review = () => {
    if (wrong !== undefined) {
      setAttempted(true)
      setOpenId(wrong.id)
      return
    }
    setOpenId(undefined)
    setAttempted(false)
    showReview(true)
  }
  const discard = () => {
    setOpenId(undefined)
    const bringBack = handle.discard()
    showToast(t.discarded, { action: { label: c.undo, run: bringBack } })
  }
  // Without changes, too: the browser would save the page.
  useShortcuts({ 'mod+s': () => handle.isDirty && search.review !== true && review() })
  useUndoKeys({
    undo: handle.undo && step(handle.undo),
    redo: handle.redo && step(handle.redo),
  })
  const isBehind = handle.isDirty && handle.draft.etag !== etag
  const hasNothing = search.review === true && !handle.isDirty
  useEffect(() => {
    if (hasNothing) navigate({ to: '.', search: {}, replace: true }).catch(() => {})
  }, [hasNothing, navigate])
  return (
    <>
      <SegmentHead
        namespace={namespace}
        stored={stored}
        usedBy={usedBy}
        onSaved={(saved, savedEtag) => {
          const { name, description } = saved
          handle.rebase(saved, savedEtag, (one) => ({ ...one, name, description }))
        }}
      />
      <div className="grid grid-cols-[minmax(0,1fr)_20rem] items-start gap-8 max-xl:grid-cols-1">
        <div className="min-w-0">
          <ConstraintList
            namespaceKey={namespace.key}
            base={base}
            present={present}
            openId={openId}
            isAttempted={isAttempted}
            onOpen={setOpenId}
            onEdit={edit}
          />
          <UsedBy namespace={namespace} segmentKey={segment.key} flags={users.data} />
          <DraftBar
            count={handle.isDirty ? Math.max(1, countChanges(base, present)) : 0}
            onReview={review}
            onDiscard={discard}
            onUndo={handle.undo && step(handle.undo)}
            onRedo={handle.redo && step(handle.redo)}
            isOffline={isOffline}
            isKept={handle.isKept}
            message={
              isBehind
                ? t.changedByOthers
                : usedBy > 0
                  ? t.reaches(usedBy, number(usedBy))
                  : undefined
            }
          />
        </div>
        <TestBox segment={present} />
      </div>
      {search.review === true && handle.isDirty && wrong === undefined && (
        <Review
          id={id}
          handle={handle}
          etag={etag}
          segments={known?.segments ?? []}
          usedBy={usedBy}
          onClose={() => showReview(false)}
        />
      )}
    </>
  )
}
