import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { useUndoKeys } from '../../../app/undo-keys.ts'
import { DraftBar } from '../../../components/draft-bar.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { showToast } from '../../../components/toast.tsx'
import { useConnection } from '../../../data/connection.ts'
import { Review } from '../../../review/review.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { countChanges, problemsOf } from './changes.ts'
import type { Edits } from './edits.ts'
import { nameStep } from './sentences.ts'
import { stepsOf } from './steps.ts'
import { targetingTexts } from './texts.ts'

/** What is not saved yet: its count, its steps, and the ways out of it. */
export function DraftControls({ edits: { end } }: { readonly edits: Edits }) {
  const t = useTexts(targetingTexts)
  const c = useTexts(componentTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const { isOnline } = useConnection()
  const { draft, etag, flag, namespace, news, readOnlyReason, segments } = useFlag()
  const { review: isReviewed } = useSearch({ from: '/inside/ns/$namespaceKey/flags/$flagKey' })
  const { base, present, etag: draftEtag } = draft.draft
  // A merge may leave what is changed elsewhere, such as a description.
  const count = draft.isDirty ? Math.max(1, countChanges(base, present)) : 0
  const [problem] = problemsOf(present)
  const wrong = problem && stepsOf(present)[problem.place]
  const toFix =
    wrong === undefined || problem === undefined
      ? undefined
      : t.fixFirst(nameStep(wrong, problem.place, t, format).first)
  const disabledReason = toFix ?? (isOnline ? readOnlyReason : undefined)
  const hasNews = draftEtag !== etag
  const message = !hasNews
    ? toFix
    : news?.name === undefined
      ? t.otherChangedSince
      : t.otherChanged(news.name, format.relative(news.at))

  const review = () => {
    if (count === 0 || disabledReason !== undefined) return
    void navigate({
      to: '/ns/$namespaceKey/flags/$flagKey',
      params: { namespaceKey: namespace.key, flagKey: flag.key },
      search: { review: true },
    })
  }
  const undo =
    draft.undo &&
    (() => {
      end()
      draft.undo?.()
    })
  const discard = () => {
    end()
    const bringBack = draft.discard()
    document.querySelector('h1')?.focus()
    showToast(t.discarded, { action: { label: c.undo, run: bringBack } })
  }
  useShortcuts({ 'mod+s': review })
  useUndoKeys({ undo, redo: draft.redo })
  const closeReview = () =>
    void navigate({
      to: '/ns/$namespaceKey/flags/$flagKey',
      params: { namespaceKey: namespace.key, flagKey: flag.key },
      replace: true,
    })
  // An address that says so shows no review of what is edited later.
  const hasNothing = isReviewed === true && !draft.isDirty
  useEffect(() => {
    if (hasNothing) void navigate({ to: '.', search: {}, replace: true })
  }, [hasNothing, navigate])
  return (
    <>
      <DraftBar
        count={count}
        onReview={review}
        onDiscard={discard}
        onUndo={undo}
        onRedo={draft.redo}
        isOffline={!isOnline}
        isKept={draft.isKept}
        message={message}
        disabledReason={disabledReason}
      />
      {isReviewed === true && draft.isDirty && problem === undefined && (
        <Review
          id={{ namespaceKey: namespace.key, kind: 'flag', key: flag.key }}
          handle={draft}
          etag={etag}
          segments={segments.all}
          onClose={closeReview}
        />
      )}
    </>
  )
}
