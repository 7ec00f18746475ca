import { createElement, useEffect, useRef, useState } from 'react'
import { useDone } from '../app/done.tsx'
import type { PageNamespace } from '../app/namespace.ts'
import { queryClient } from '../data/api.ts'
import { useConnection } from '../data/connection.ts'
import type { DraftHandle } from '../data/drafts.ts'
import { failureOf } from '../data/errors.ts'
import { refreshNamespace } from '../data/queries.ts'
import { Rich } from '../text/rich.tsx'
import { useTexts } from '../text/texts.ts'
import { forgetAttempt } from './attempts.ts'
import { type DocumentOf, type Kind, saysTheSame } from './documents.ts'
import { mergeDocuments } from './merge.ts'
import { isLater, type ReviewedId, readStored, type StoredNow, saveDraft } from './save.ts'
import { type Standing, standingOf } from './settle.ts'
import { reviewTexts } from './texts.ts'

/** Where the way of a draft into the service is. */
export type Stage<K extends Kind> =
  | {
      readonly kind: 'review'
      readonly note?: { readonly text: string; readonly isFailure: boolean }
    }
  | { readonly kind: 'saving' }
  /** What others have saved since the draft was begun is read first. */
  | { readonly kind: 'reading' }
  /** It is not known whether it is saved: that is looked up, as soon as the server can be reached. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'conflict'
      readonly standing: Extract<Standing<K>, { kind: 'conflict' | 'deleted' }>
      readonly stored: StoredNow<K>
    }

/** Between looks for a save whose answer was lost, while the server seems to be there, in milliseconds. */
const lookAgainMs = 3000

interface Options<K extends Kind> {
  readonly id: ReviewedId<K>
  readonly name: string
  readonly namespace: PageNamespace
  readonly handle: DraftHandle<DocumentOf[K]>
  /** The tag of the object as the page shows it. */
  readonly etag: string | undefined
  readonly onClose: () => void
}

/** Saves a draft, and finds out what has become of a save. */
export function useSave<K extends Kind>({
  id,
  name,
  namespace,
  handle,
  etag,
  onClose,
}: Options<K>) {
  const t = useTexts(reviewTexts)
  const done = useDone()
  const { isOnline } = useConnection()
  const isBehind = handle.isDirty && isLater(etag, handle.draft.etag)
  const [stage, setStage] = useState<Stage<K>>({ kind: isBehind ? 'reading' : 'review' })
  const [attempts, setAttempts] = useState(0)
  const current = useRef(handle)
  useEffect(() => {
    current.current = handle
  })

  const finish = (
    document: DocumentOf[K],
    newEtag: string | undefined,
    revision: number | undefined,
    text: string,
  ) => {
    current.current.restart(document, newEtag)
    done(createElement(Rich, { text }), { namespaceKey: id.namespaceKey, revision })
    onClose()
  }

  /** Goes on with a draft on what the service has; without one that differs there is nothing to review. */
  const restart = (document: DocumentOf[K], newEtag: string | undefined, present = document) => {
    current.current.restart(document, newEtag, present)
    if (saysTheSame(id.kind, document, present)) onClose()
    else setStage({ kind: 'review' })
  }

  /** Reads what the service has, and goes on from there. */
  const settle = async (isAfterSave: boolean) => {
    const { draft } = current.current
    const stored = await readStored(id, draft.etag)
    const standing = standingOf(id, draft, stored)
    if (standing.kind === 'current') {
      setStage({
        kind: 'review',
        ...(isAfterSave && { note: { text: t.notSaved, isFailure: true } }),
      })
    } else if (standing.kind === 'conflict' || standing.kind === 'deleted') meet(standing, stored)
    else if (stored.document !== undefined) {
      await refreshNamespace(id.namespaceKey)
      forgetAttempt(id)
      // What others have saved is not for this tab to take back.
      const [revision, text] =
        standing.kind === 'saved'
          ? [standing.revision, t.wasSaved(name, namespace.name)]
          : [undefined, t.saysSo(name, namespace.name)]
      finish(stored.document, stored.etag, revision, text)
    }
  }

  /** Asks what is to be merged. Where the others have left nothing behind there is nothing to ask. */
  const meet = (
    standing: Extract<Standing<K>, { kind: 'conflict' | 'deleted' }>,
    stored: StoredNow<K>,
  ) => {
    // The page, too, shows what others have made of it.
    void queryClient.invalidateQueries({ queryKey: [id.kind, id.namespaceKey, id.key] })
    const { document, etag } = stored
    if (standing.kind === 'conflict' && document !== undefined) {
      const { rows, resolve } = mergeDocuments(id.kind, standing.base, standing.mine, document)
      if (rows.every(({ from }) => from === 'mine')) return restart(document, etag, resolve())
    }
    setStage({ kind: 'conflict', standing, stored })
  }

  const refuse = (text: string) => setStage({ kind: 'review', note: { text, isFailure: true } })

  const save = async (comment: string) => {
    const { draft } = current.current
    setStage({ kind: 'saving' })
    setAttempts((count) => count + 1)
    const outcome = await saveDraft(id, draft.present, draft.etag, comment)
    switch (outcome.kind) {
      case 'saved': {
        const { document, etag, revision } = outcome
        return finish(document, etag, revision, t.saved(name, namespace.name))
      }
      case 'conflict':
        return settle(true).catch((error: unknown) => refuse(t.refused(failureOf(error).message)))
      case 'unsettled':
        return setStage({ kind: 'lost' })
      case 'signed-out':
        return refuse(t.signedOut)
      case 'refused':
        return refuse(t.refused(outcome.reason))
    }
  }

  const latest = useRef(settle)
  useEffect(() => {
    latest.current = settle
  })

  // What others have saved meanwhile is shown before it is asked what to save. What they save later moves
  // nothing: it is offered.
  const isReading = stage.kind === 'reading'
  useEffect(() => {
    if (isReading) latest.current(false).catch(() => setStage({ kind: 'review' }))
  }, [isReading])

  const isLost = stage.kind === 'lost'
  useEffect(() => {
    if (!isLost || !isOnline) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const look = () => {
      latest.current(true).catch(() => {
        if (!isOver) timer = setTimeout(look, lookAgainMs)
      })
    }
    look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isLost, isOnline])

  return { stage, attempts, isOnline, isBehind, save, settle, restart }
}
