import { canonicalText, readDocument } from '@svc/documents'
import { idOf, titleOf } from '../changes/changed-record.ts'
import { missingChange } from '../history/missing.ts'
import type { Operations } from './apply.ts'
import { type Conflict, differingMembers } from './conflicts.ts'
import { checkMembers } from './content.ts'
import { labelled } from './labels.ts'
import type { Document, Operation } from './operations.ts'
import { type ItemText, readTexts, type UndoneItem } from './undo.store.ts'

/** A change that is undone. */
export interface Undone {
  readonly namespaceKey: string
  readonly revision: number
  readonly items: readonly UndoneItem[]
  /** Whole objects get what they were. */
  readonly force: boolean
}

/**
 * The operations that undo a change.
 *
 * @param conflicts gets what was changed since; then the operations must not be committed
 */
export function undoOperations(
  { namespaceKey, revision, items, force }: Undone,
  conflicts: Map<string, Conflict>,
): Operations {
  return {
    listed: items,
    digest: `undo ${revision} ${force}`,
    async load(tx, portion) {
      const keys = portion.map(({ key }) => key)
      const texts = await readTexts(tx, namespaceKey, revision, portion[0]?.kind ?? '', keys)
      // Retention may have deleted the change since it was read.
      if (texts.length < portion.length) throw await missingChange(tx, namespaceKey, revision)
      return texts.map((text) => toOperation(text, force, conflicts))
    },
  }
}

function toOperation(item: ItemText, force: boolean, conflicts: Map<string, Conflict>): Operation {
  const { kind, key } = item
  const [before, after] = [item.before, item.after].map((text) =>
    text === null ? undefined : readDocument(kind, text),
  )
  return {
    ...{ kind, key, label: '', bytes: 0, isRestored: true, isDeletion: before === undefined },
    next(current, namespaceKey) {
      if (force) return before
      const members = conflictOf(item, after, current)
      if (members !== undefined) conflicts.set(idOf(item), { kind, key, members })
      if (members !== undefined) return current
      const title = titleOf(namespaceKey, item)
      return labelled(title, () => restored(item, before, after, current))
    },
  }
}

/** @returns nothing when there is none */
function conflictOf(
  { kind, before }: ItemText,
  after: Document | undefined,
  current: Document | undefined,
): readonly string[] | undefined {
  if (after === undefined) return current === undefined ? undefined : []
  // What the change created is to go, and is gone.
  if (current === undefined) return before === null ? undefined : []
  const changed = differingMembers(
    kind,
    before === null ? undefined : readDocument(kind, before),
    after,
  )
  const since = differingMembers(kind, after, current)
  // What it created was all that there is.
  const members = before === null ? [...since] : [...since].filter((member) => changed.has(member))
  return members.length === 0 ? undefined : members
}

/** The document with the members of before, as far as the change has changed them. */
function restored(
  { kind }: ItemText,
  before: Document | undefined,
  after: Document | undefined,
  current: Document | undefined,
): Document | undefined {
  if (before === undefined || after === undefined || current === undefined) return before
  if (canonicalText(kind, after) === canonicalText(kind, current)) return before
  const members = differingMembers(kind, before, after)
  const own = Object.fromEntries([...members].map((name) => [name, Reflect.get(before, name)]))
  const document = { ...current, ...own }
  checkMembers(document)
  return document
}
