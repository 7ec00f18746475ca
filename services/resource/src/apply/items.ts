import type { PlannedItem } from '@svc/proto/resource/v1/apply'
import type { FieldChange } from '@svc/proto/resource/v1/documents'
import { objectKindOf } from '../documents/kinds.ts'
import type { Head } from './heads.store.ts'
import type { Document, Operation } from './operations.ts'

/** What becomes of one object, as it will be stored. */
export interface Outcome {
  readonly operation: Operation
  readonly before: Document | undefined
  readonly after: Document | undefined
  readonly managedBy: string
  readonly changes: readonly FieldChange[]
  /** The document, or who keeps it, is another one. */
  readonly isChanged: boolean
}

/** Maximum size of all differences of an answer, in bytes: it is one message, and in memory as JSON. */
const maxBytes = 4 * 2 ** 20

/** Collects what an answer says of each object. */
export class ItemList {
  readonly items: PlannedItem[] = []
  unchanged = 0
  #bytes = 0

  add({ operation, before, after, managedBy, changes, isChanged }: Outcome, head?: Head): void {
    if (!isChanged) {
      this.unchanged += 1
      return
    }
    for (const { path, before = '', after = '' } of changes) {
      this.#bytes += path.length + Buffer.byteLength(before) + Buffer.byteLength(after)
    }
    const isCut = this.#bytes > maxBytes && changes.length > 0
    const { kind, key } = operation
    const updated = before === undefined ? 'CREATED_ACTION' : 'UPDATED_ACTION'
    this.items.push({
      kind: objectKindOf[kind],
      key,
      action: after === undefined ? 'DELETED_ACTION' : updated,
      changes: isCut ? [] : [...changes],
      revision: head?.revision ?? 0,
      managedBy,
      isCut,
    })
  }
}
