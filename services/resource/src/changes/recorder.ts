import type { Caller } from '@svc/access'

/** What has a revision or a tombstone of its own. */
export interface ChangedRecord {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

/** Records what a transaction does to a namespace. Without a record, nothing was changed. */
export class ChangeRecorder {
  readonly caller: Caller
  readonly #records = new Map<string, ChangedRecord & { readonly isDeleted: boolean }>()
  #freedBytes = 0

  constructor(caller: Caller) {
    this.caller = caller
  }

  get isEmpty(): boolean {
    return this.#records.size === 0
  }

  /** Sum of the bytes that the deleted rows counted. */
  get freedBytes(): number {
    return this.#freedBytes
  }

  get deletions(): ChangedRecord[] {
    return [...this.#records.values()].filter(({ isDeleted }) => isDeleted)
  }

  changedKeys(kind: ChangedRecord['kind']): string[] {
    const changed = [...this.#records.values()].filter((one) => one.kind === kind && !one.isDeleted)
    return changed.map(({ key }) => key)
  }

  /** It, or anything in it, was created or altered. */
  changed(kind: ChangedRecord['kind'], key: string): void {
    this.#records.set(`${kind} ${key}`, { kind, key, isDeleted: false })
  }

  /** @param bytes that its row counted; 0 for a namespace, whose count goes with its row */
  deleted(kind: ChangedRecord['kind'], key: string, bytes: number): void {
    this.#records.set(`${kind} ${key}`, { kind, key, isDeleted: true })
    this.#freedBytes += bytes
  }
}
