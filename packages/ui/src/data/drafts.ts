import { useCallback, useEffect, useState } from 'react'
import {
  type Draft,
  editDraft,
  isEdited,
  rebaseDraft,
  redoDraft,
  startDraft,
  undoDraft,
} from './draft.ts'
import { createStore, useStore } from './store.ts'

const prefix = 'svc.draft '

/** What a draft is of. */
export interface DraftId {
  readonly namespaceKey: string
  readonly kind: 'flag' | 'segment'
  readonly key: string
}

/** The names of the drafts that are kept in this tab. */
const kept = createStore<ReadonlySet<string>>(readNames())

export interface DraftHandle<T> {
  readonly draft: Draft<T>
  readonly isDirty: boolean
  readonly edit: (present: T, isSameStep?: boolean) => void
  readonly undo: (() => void) | undefined
  readonly redo: (() => void) | undefined
  /** @returns what brings it back */
  readonly discard: () => () => void
  /** Begins anew from what the service has now, such as after a save; with a present of its own after a merge. */
  readonly restart: (base: T, etag: string | undefined, present?: T) => void
  /** Goes on from a base that has a change which was saved by itself. @see rebaseDraft */
  readonly rebase: (base: T, etag: string | undefined, change: (value: T, base: T) => T) => void
}

/**
 * The draft of an object, kept in the session storage of the tab until it is saved or discarded: it
 * survives a reload and a login. Nothing in it may be a secret.
 *
 * A draft that was edited stays on what it was made from when the object changes; one that was not follows.
 *
 * @param base the object as the service has it
 */
export function useDraft<T>(id: DraftId, base: T, etag: string | undefined): DraftHandle<T> {
  const name = nameOf(id)
  const [draft, setDraft] = useState(() => readDraft<T>(name) ?? startDraft(base, etag))
  const [shownName, setShownName] = useState(name)
  if (shownName !== name) {
    setShownName(name)
    setDraft(readDraft<T>(name) ?? startDraft(base, etag))
  } else if (draft.etag !== etag && !isEdited(draft)) setDraft(startDraft(base, etag))
  const isDirty = isEdited(draft)

  useEffect(() => keepDraft(name, draft), [name, draft])

  const edit = useCallback(
    (present: T, isSameStep?: boolean) => setDraft((now) => editDraft(now, present, isSameStep)),
    [],
  )
  const rebase = useCallback(
    (base: T, etag: string | undefined, change: (value: T, base: T) => T) =>
      setDraft((now) => (isEdited(now) ? rebaseDraft(now, base, etag, change) : now)),
    [],
  )
  return {
    draft,
    isDirty,
    edit,
    rebase,
    undo: draft.past.length === 0 ? undefined : () => setDraft(undoDraft),
    redo: draft.future.length === 0 ? undefined : () => setDraft(redoDraft),
    discard: () => {
      setDraft(startDraft(base, etag))
      return () => setDraft(draft)
    },
    restart: (nextBase, nextEtag, present) => {
      const next = startDraft(nextBase, nextEtag)
      setDraft(present === undefined ? next : editDraft(next, present))
    },
  }
}

/** Keeps a draft of an object that is opened next. */
export function startDraftOf<T>(id: DraftId, base: T, etag: string | undefined, present: T): void {
  keepDraft(nameOf(id), editDraft(startDraft(base, etag), present))
}

/** Which objects of a kind have a draft in this tab, by key. */
export function useDraftKeys(namespaceKey: string, kind: DraftId['kind']): ReadonlySet<string> {
  const names = useStore(kept)
  const start = nameOf({ namespaceKey, kind, key: '' })
  const keys = [...names].filter((name) => name.startsWith(start))
  return new Set(keys.map((name) => name.slice(start.length)))
}

function nameOf({ namespaceKey, kind, key }: DraftId): string {
  return `${prefix}${namespaceKey} ${kind} ${key}`
}

function keepDraft<T>(name: string, draft: Draft<T>): void {
  const names = new Set(kept.get())
  try {
    if (isEdited(draft)) {
      sessionStorage.setItem(name, JSON.stringify(draft))
      names.add(name)
    } else {
      sessionStorage.removeItem(name)
      names.delete(name)
    }
  } catch {
    // A browser may keep nothing: then it holds until the page is left.
  }
  if (names.size !== kept.get().size) kept.set(names)
}

function readDraft<T>(name: string): Draft<T> | undefined {
  try {
    const text = sessionStorage.getItem(name)
    if (text === null) return undefined
    const stored: Draft<T> = JSON.parse(text)
    return Array.isArray(stored.past) && Array.isArray(stored.future) ? stored : undefined
  } catch {
    return undefined
  }
}

function readNames(): ReadonlySet<string> {
  try {
    return new Set(Object.keys(sessionStorage).filter((name) => name.startsWith(prefix)))
  } catch {
    return new Set()
  }
}
