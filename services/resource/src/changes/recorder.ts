import type { Caller } from '@svc/access'

/** What has a revision or a tombstone of its own. */
export interface Touched {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

/** What has a limit to its size. */
export type Sized = Touched & { readonly kind: 'flag' | 'segment' }

/** Records what a transaction does to a namespace. Without a record, nothing was changed. */
export class ChangeRecorder {
  readonly caller: Caller
  readonly #changed = new Map<string, Touched>()
  readonly #deleted = new Map<string, Touched>()
  readonly #grown = new Map<string, Sized>()
  #freedBytes = 0

  constructor(caller: Caller) {
    this.caller = caller
  }

  /** Bytes that the deleted rows took. */
  get freedBytes(): number {
    return this.#freedBytes
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

  get allGrown(): Sized[] {
    return [...this.#grown.values()]
  }

  /** It, or anything in it, was created or altered. */
  changed(kind: Touched['kind'], key: string): void {
    this.#deleted.delete(nameOf(kind, key))
    this.#changed.set(nameOf(kind, key), { kind, key })
  }

  /** The same; with all that is in it, it may take more room than before. */
  grown(kind: Sized['kind'], key: string): void {
    this.changed(kind, key)
    this.#grown.set(nameOf(kind, key), { kind, key })
  }

  /** @param bytes that its row counted; 0 for a namespace, whose count goes with its row */
  deleted(kind: Touched['kind'], key: string, bytes: number): void {
    this.#changed.delete(nameOf(kind, key))
    this.#grown.delete(nameOf(kind, key))
    this.#deleted.set(nameOf(kind, key), { kind, key })
    this.#freedBytes += bytes
  }
}

function nameOf(kind: string, key: string): string {
  return `${kind} ${key}`
}
