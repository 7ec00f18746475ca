import { useCallback, useEffect, useState } from 'react'
import {
  type Draft,
  editDraft,
  hasSteps,
  isEdited,
  rebaseDraft,
  redoDraft,
  startDraft,
  undoDraft,
  withoutSteps,
} from './draft.ts'
import { createStore, useStore } from './store.ts'

const prefix = 'svc.draft '

/** Characters that a draft may have with its steps. Browsers keep some five million for all of an origin. */
const maxLength = 1_000_000

/** What a draft is of. */
export interface DraftId {
  readonly namespaceKey: string
  readonly kind: 'flag' | 'segment'
  readonly key: string
}

/** The names of the drafts of this tab: those that are kept, and those that are open. */
const names = createStore<ReadonlySet<string>>(readNames())

/** Reads a draft anew where its object is open, by the name of the draft. */
const open = new Map<string, () => void>()

export interface DraftHandle<T> {
  readonly draft: Draft<T>
  readonly isDirty: boolean
  /** Whether it outlives a reload: a browser keeps some megabytes, or nothing. */
  readonly isKept: boolean
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
  const [isKept, setKept] = useState(true)

  useEffect(() => setKept(keepDraft(name, draft)), [name, draft])
  useEffect(() => {
    open.set(name, () => setDraft((now) => readDraft<T>(name) ?? now))
    return () => {
      open.delete(name)
      if (readDraft(name) === undefined) noteDraft(name, false)
    }
  }, [name])

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
    isKept,
    edit,
    rebase,
    undo: draft.past.length === 0 ? undefined : () => setDraft(undoDraft),
    redo: draft.future.length === 0 ? undefined : () => setDraft(redoDraft),
    discard: () => {
      setDraft(startDraft(base, etag))
      return () => {
        keepDraft(name, draft)
        // The page may have been left, and opened anew, since.
        open.get(name)?.()
        setDraft(draft)
      }
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
  const start = nameOf({ namespaceKey, kind, key: '' })
  const keys = [...useStore(names)].filter((name) => name.startsWith(start))
  return new Set(keys.map((name) => name.slice(start.length)))
}

function nameOf({ namespaceKey, kind, key }: DraftId): string {
  return `${prefix}${namespaceKey} ${kind} ${key}`
}

/** @returns whether it is kept, or there is nothing to keep */
function keepDraft<T>(name: string, draft: Draft<T>): boolean {
  const isKept = isEdited(draft) && store(name, draft)
  if (!isKept) remove(name)
  noteDraft(name, isEdited(draft))
  return isKept || !isEdited(draft)
}

function noteDraft(name: string, isThere: boolean): void {
  const next = new Set(names.get())
  if (isThere) next.add(name)
  else next.delete(name)
  if (next.size !== names.get().size) names.set(next)
}

/** With its steps where there is room for them, else without. */
function store<T>(name: string, draft: Draft<T>): boolean {
  return [draft, withoutSteps(draft)].some((one) => {
    try {
      const text = JSON.stringify(one)
      if (text.length > maxLength && hasSteps(one)) return false
      sessionStorage.setItem(name, text)
      return true
    } catch {
      // There is no room, or the browser keeps nothing.
      return false
    }
  })
}

/** Forgets all drafts of the tab. */
export function forgetDrafts(): void {
  for (const name of readNames()) remove(name)
  names.set(new Set())
}

function remove(name: string): void {
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Then it was not kept.
  }
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
