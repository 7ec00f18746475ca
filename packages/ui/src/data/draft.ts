/** A draft with its steps: each edit is one that can be taken back. */
export interface Draft<T> {
  /** What it was made from. */
  readonly base: T
  /** The tag of that, for `If-Match`. */
  readonly etag: string | undefined
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
}

/** Steps that can be taken back. */
const maxSteps = 100

export function startDraft<T>(base: T, etag: string | undefined): Draft<T> {
  return { base, etag, past: [], present: base, future: [] }
}

/** @param isSameStep whether it goes on with the last edit, such as the next letter of a word */
export function editDraft<T>(draft: Draft<T>, present: T, isSameStep = false): Draft<T> {
  if (isEqual(present, draft.present)) return draft
  const past = isSameStep ? draft.past : [...draft.past, draft.present].slice(-maxSteps)
  return { ...draft, past, present, future: [] }
}

export function undoDraft<T>(draft: Draft<T>): Draft<T> {
  const last = draft.past.at(-1)
  if (last === undefined) return draft
  return {
    ...draft,
    past: draft.past.slice(0, -1),
    present: last,
    future: [draft.present, ...draft.future],
  }
}

export function redoDraft<T>(draft: Draft<T>): Draft<T> {
  const [next, ...future] = draft.future
  if (next === undefined) return draft
  return { ...draft, past: [...draft.past, draft.present], present: next, future }
}

/**
 * Puts a draft on another base after a change that was saved by itself, such as a switch: each step of the
 * draft gets it as well. Where the base is not what this change alone makes of the one before, others have
 * changed something too, and the draft stays where it is.
 */
export function rebaseDraft<T>(
  draft: Draft<T>,
  base: T,
  etag: string | undefined,
  change: (value: T, base: T) => T,
): Draft<T> {
  const changed = (value: T) => change(value, draft.base)
  if (!isEqual(changed(draft.base), base)) return draft
  return {
    base,
    etag,
    past: draft.past.map(changed),
    present: changed(draft.present),
    future: draft.future.map(changed),
  }
}

export function isEdited<T>({ base, present }: Draft<T>): boolean {
  return !isEqual(base, present)
}

export function hasSteps<T>({ past, future }: Draft<T>): boolean {
  return past.length + future.length > 0
}

/** What is edited stays; none of its edits can be taken back or done again. */
export function withoutSteps<T>(draft: Draft<T>): Draft<T> {
  return { ...draft, past: [], future: [] }
}

/** Whether two values of JSON are the same, whatever the order of their members. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [a, b] = [membersOf(one), membersOf(other)]
  return (
    a.length === b.length &&
    a.every(
      ([name, value]) => Object.hasOwn(other, name) && isEqual(value, Reflect.get(other, name)),
    )
  )
}

/** A member that is `undefined` is as one that is not there. */
function membersOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}
