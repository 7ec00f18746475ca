import type { Caller } from '@svc/access'
import type { Queryable } from '@svc/database'
import { onlyRow } from '../records/table.ts'
import { ItemLog } from './item-log.ts'

/** What has a revision or a tombstone of its own. */
export interface ChangedRecord {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

/** Records what a transaction does to a namespace. Without a record, nothing was changed. */
export class ChangeRecorder {
  readonly caller: Caller
  readonly namespaceKey: string
  readonly items: ItemLog
  readonly #targets: ReadonlySet<string>
  readonly #records = new Map<string, ChangedRecord & { readonly isDeleted: boolean }>()
  #freedBytes = 0
  #revision: number | undefined

  /** @param targets all that it may change */
  constructor(namespaceKey: string, targets: readonly ChangedRecord[], caller: Caller) {
    this.namespaceKey = namespaceKey
    this.caller = caller
    this.items = new ItemLog(namespaceKey)
    this.#targets = new Set(targets.map(idOf))
  }

  get isEmpty(): boolean {
    return this.#records.size === 0
  }

  /** Sum of the bytes that the deleted rows counted. */
  get freedBytes(): number {
    return this.#freedBytes
  }

  /** All that was changed or deleted. */
  get records(): readonly ChangedRecord[] {
    return [...this.#records.values()]
  }

  get deletions(): ChangedRecord[] {
    return [...this.#records.values()].filter(({ isDeleted }) => isDeleted)
  }

  /** Nothing until it was drawn: usually the last statement but one draws it. */
  get revision(): number | undefined {
    return this.#revision
  }

  changedKeys(kind: ChangedRecord['kind']): string[] {
    const changed = [...this.#records.values()].filter((one) => one.kind === kind && !one.isDeleted)
    return changed.map(({ key }) => key)
  }

  /** It, or anything in it, was created or altered. */
  changed(record: ChangedRecord): void {
    this.#record(record, false)
  }

  /** @param bytes that its row counted; 0 for a namespace, whose count goes with its row */
  deleted(record: ChangedRecord, bytes: number): void {
    this.#record(record, true)
    this.#freedBytes += bytes
  }

  /**
   * Draws the revision ahead of the change's end, for items that are too many to be kept until then. The
   * namespace's row has to be locked by now: a revision of the wait for it might come too early.
   */
  async drawRevision(tx: Queryable): Promise<number> {
    if (this.#revision !== undefined) return this.#revision
    const draw = `SELECT nextval('resource.revisions') AS revision`
    const { revision } = onlyRow(await tx.query<{ revision: number }>(draw))
    this.#revision = revision
    return revision
  }

  /** What was not read before the change could not be logged. */
  #record(record: ChangedRecord, isDeleted: boolean): void {
    const id = idOf(record)
    if (!this.#targets.has(id)) throw new Error(`${id} is no target of this change`)
    this.#records.set(id, { ...record, isDeleted })
  }
}

export function idOf({ kind, key }: ChangedRecord): string {
  return `${kind} ${key}`
}
