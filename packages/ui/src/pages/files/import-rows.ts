import { adoptIds, type DocumentOf, diffDocuments } from '@svc/documents'
import { type Documents, deleteOperation, type Operation, setOperation } from '@svc/documents/files'

type ObjectKind = 'flag' | 'segment'
type FieldChange = ReturnType<typeof diffDocuments>[number]

/** A flag or a segment of a file, of the namespace, or of both. */
export interface ImportRow<K extends ObjectKind = ObjectKind> {
  readonly kind: K
  readonly key: string
  /** What the namespace has; nothing when it has none. */
  readonly before: DocumentOf[K] | undefined
  /** What the file has, with the ids of what is there; nothing when it has none. */
  readonly after: DocumentOf[K] | undefined
  readonly changes: readonly FieldChange[]
}

/** What the file is to a row of the namespace. */
export type Standing = 'new' | 'changed' | 'same' | 'only here'

export interface ImportChoices {
  /** What exists stays as it is: only what is new is made. */
  readonly keeps: boolean
  /** What the file lacks is deleted. */
  readonly deletes: boolean
}

/** What is new comes first, then what changes, then what only the namespace has; the rest is the same. */
export function rowsOf(file: Documents, stored: Documents | undefined): readonly ImportRow[] {
  const order: readonly Standing[] = ['new', 'changed', 'only here', 'same']
  const rows = [
    ...compare('flag', file.flags, stored?.flags ?? []),
    ...compare('segment', file.segments, stored?.segments ?? []),
  ]
  return rows.toSorted(
    (one, other) => order.indexOf(standingOf(one)) - order.indexOf(standingOf(other)),
  )
}

export function standingOf({ before, after, changes }: ImportRow): Standing {
  if (after === undefined) return 'only here'
  if (before === undefined) return 'new'
  return changes.length > 0 ? 'changed' : 'same'
}

/** Segments are set before the flags that use them, and deleted after those. */
export function operationsOf(
  rows: readonly ImportRow[],
  { keeps, deletes }: ImportChoices,
): readonly Operation[] {
  const isSet = (row: ImportRow) => {
    const standing = standingOf(row)
    return standing === 'new' || (standing === 'changed' && !keeps)
  }
  const set = rows.filter(isSet)
  const gone = deletes ? rows.filter((row) => standingOf(row) === 'only here') : []
  return [
    ...set.filter(({ kind }) => kind === 'segment').map(toSet),
    ...set.filter(({ kind }) => kind === 'flag').map(toSet),
    ...gone.filter(({ kind }) => kind === 'flag').map(toDelete),
    ...gone.filter(({ kind }) => kind === 'segment').map(toDelete),
  ]
}

function toSet({ kind, after }: ImportRow): Operation {
  // `set` has those alone that the file has, each of its kind.
  return kind === 'flag'
    ? setOperation('flag', after as DocumentOf['flag'])
    : setOperation('segment', after as DocumentOf['segment'])
}

function toDelete({ kind, key }: ImportRow): Operation {
  return deleteOperation(kind, key)
}

function compare<K extends ObjectKind>(
  kind: K,
  files: readonly DocumentOf[K][],
  stored: readonly DocumentOf[K][],
): ImportRow<K>[] {
  const known = new Map(stored.map((document) => [document.key, document]))
  const rows = files.map((document) => {
    const before = known.get(document.key)
    known.delete(document.key)
    const after = before === undefined ? document : adoptIds(kind, before, document)
    const changes = diffDocuments(kind, before, after)
    return { kind, key: document.key, before, after, changes }
  })
  const others = [...known.values()].map((before) => {
    const changes = diffDocuments(kind, before, undefined)
    return { kind, key: before.key, before, after: undefined, changes }
  })
  return [...rows, ...others]
}
