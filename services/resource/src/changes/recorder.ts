import type { Caller } from '@svc/access'
import type { Queryable } from '@svc/database'
import { onlyRow } from '../records/table.ts'
import { type ChangedRecord, idOf } from './changed-record.ts'
import { ItemLog } from './item-log.ts'
import { readTexts, type StoredText, type Texts } from './texts.ts'

/** The namespace before a change. */
export interface Beginning {
  /** What the change is about, as it is stored. */
  readonly before: Texts
  /** Nothing when there was no namespace. */
  readonly revision: number | undefined
}

/** Records what a transaction does to a namespace. Without a record, nothing was changed. */
export class ChangeRecorder {
  readonly caller: Caller
  readonly namespaceKey: string
  readonly items: ItemLog
  /** Revision of the namespace before the change; nothing when there was no namespace. */
  readonly previousRevision: number | undefined
  readonly #targets: Set<string>
  readonly #before: Map<string, StoredText>
  readonly #records = new Map<string, ChangedRecord & { readonly isDeleted: boolean }>()
  #freedBytes = 0
  #revision: number | undefined
  /** A part of the change has made the namespace larger. */
  #hasGrown = false

  /** @param targets what it may change, besides what is read later */
  constructor(
    namespaceKey: string,
    targets: readonly ChangedRecord[],
    caller: Caller,
    { before, revision }: Beginning,
  ) {
    this.namespaceKey = namespaceKey
    this.caller = caller
    this.items = new ItemLog(namespaceKey)
    this.previousRevision = revision
    this.#targets = new Set(targets.map(idOf))
    this.#before = new Map(before)
  }

  get isEmpty(): boolean {
    return this.#records.size === 0 && this.#revision === undefined
  }

  /** Sum of the bytes that the deleted rows counted. */
  get freedBytes(): number {
    return this.#freedBytes
  }

  /** All that was changed or deleted since the part before. */
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

  get hasGrown(): boolean {
    return this.#hasGrown
  }

  changedKeys(kind: ChangedRecord['kind']): string[] {
    const changed = [...this.#records.values()].filter((one) => one.kind === kind && !one.isDeleted)
    return changed.map(({ key }) => key)
  }

  /** As it was before the change; nothing when it did not exist. */
  before(record: ChangedRecord): StoredText | undefined {
    return this.#before.get(idOf(record))
  }

  /** Reads what the change is about besides what it began with: from then on that may be changed, too. */
  async read(tx: Queryable, records: readonly ChangedRecord[]): Promise<void> {
    const unread = records.filter((record) => !this.#targets.has(idOf(record)))
    if (unread.length === 0) return
    for (const [id, stored] of await readTexts(tx, this.namespaceKey, unread)) {
      this.#before.set(id, stored)
    }
    for (const record of unread) this.#targets.add(idOf(record))
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

  /** All that was recorded has the revision. */
  stamped(stamp: { readonly revision: number; readonly growth: number }): void {
    this.#revision = stamp.revision
    this.#hasGrown ||= stamp.growth > 0
    this.#records.clear()
    this.#freedBytes = 0
  }

  /** Lets go of what it was about up to now: from then on it may change what is read next. */
  forget(): void {
    this.#targets.clear()
    this.#before.clear()
  }

  /** What was not read before the change could not be logged. */
  #record(record: ChangedRecord, isDeleted: boolean): void {
    const id = idOf(record)
    if (!this.#targets.has(id)) throw new Error(`${id} is no target of this change`)
    this.#records.set(id, { ...record, isDeleted })
  }
}
