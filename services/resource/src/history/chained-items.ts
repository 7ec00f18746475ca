import { ItemsHash } from '@svc/audit'
import type { Queryable } from '@svc/database'
import { type HashedItem, readHashedItems } from './chain.store.ts'

/** The items of a change as they are now. */
export interface FoundItems {
  readonly hash: Buffer
  /** Whether their places are 0, 1, 2 and so on. */
  readonly isComplete: boolean
}

interface Range {
  readonly namespaceKey: string
  /** The revision after which to begin. */
  readonly after: number
  /** The last revision. */
  readonly upTo: number
}

/**
 * Reads the items of some changes in their order, by portions: neither what is in memory nor what a statement
 * reads grows with a change.
 */
export class ChainedItems {
  readonly #tx: Queryable
  readonly #namespaceKey: string
  readonly #upTo: number
  /** Read and not taken: those from the index on. */
  #read: readonly HashedItem[] = []
  #index = 0
  /** Where the next portion begins. */
  #after: Pick<HashedItem, 'revision' | 'place'>

  constructor(tx: Queryable, { namespaceKey, after, upTo }: Range) {
    this.#tx = tx
    this.#namespaceKey = namespaceKey
    this.#upTo = upTo
    this.#after = { revision: after, place: maxPlace }
  }

  /** The revision of the next item; `undefined` at the end. */
  async nextRevision(): Promise<number | undefined> {
    return (await this.#next())?.revision
  }

  /** Takes the items of a revision, which come next if there are any. */
  async take(revision: number): Promise<FoundItems> {
    const hash = new ItemsHash()
    let isComplete = true
    for (let place = 0; ; place += 1) {
      const item = await this.#next()
      if (item?.revision !== revision) return { hash: hash.digest(), isComplete }
      isComplete &&= item.place === place
      hash.addHashes(item)
      this.#index += 1
    }
  }

  async #next(): Promise<HashedItem | undefined> {
    if (this.#index === this.#read.length) {
      this.#read = await readHashedItems(this.#tx, this.#namespaceKey, this.#after, this.#upTo)
      this.#index = 0
      this.#after = this.#read.at(-1) ?? this.#after
    }
    return this.#read[this.#index]
  }
}

/** The last place that a column of integers can have. */
const maxPlace = 2 ** 31 - 1
