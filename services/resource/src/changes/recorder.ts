import type { Caller } from '@svc/access'
import type { Queryable } from '@svc/database'

/** What has a revision or a tombstone of its own. */
export interface Touched {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

/** Records what a transaction does to a namespace. Without a record, nothing was changed. */
export class ChangeRecorder {
  readonly caller: Caller
  readonly #changed = new Map<string, Touched>()
  readonly #deleted = new Map<string, Touched>()
  #freedBytes = 0

  constructor(caller: Caller) {
    this.caller = caller
  }

  get isEmpty(): boolean {
    return this.#changed.size + this.#deleted.size === 0
  }

  get allChanged(): Touched[] {
    return [...this.#changed.values()]
  }

  get allDeleted(): Touched[] {
    return [...this.#deleted.values()]
  }

  /** Sum of the bytes that the deleted rows counted. */
  get freedBytes(): number {
    return this.#freedBytes
  }

  /** It, or anything in it, was created or altered. */
  changed(kind: Touched['kind'], key: string): void {
    this.#deleted.delete(`${kind} ${key}`)
    this.#changed.set(`${kind} ${key}`, { kind, key })
  }

  /** @param bytes that its row counted; 0 for a namespace, whose count goes with its row */
  deleted(kind: Touched['kind'], key: string, bytes: number): void {
    this.#changed.delete(`${kind} ${key}`)
    this.#deleted.set(`${kind} ${key}`, { kind, key })
    this.#freedBytes += bytes
  }
}

/** One change of one resource, of a checked request. Several may share a transaction. */
export type UseCase<Request, Result> = (
  tx: Queryable,
  change: ChangeRecorder,
  request: Request,
) => Promise<Result>
