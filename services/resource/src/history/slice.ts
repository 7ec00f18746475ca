import { ChainCheck, type ChainKeys, type ChainPlace, type PlaceProof } from '@svc/audit'
import type { Queryable } from '@svc/database'
import type { Gap } from '@svc/proto/resource/v1/changes'
import { endsWithDeletion } from '../changes/log.store.ts'
import {
  type ChainedChange,
  type ChainState,
  findStray,
  readChained,
  textOf,
} from './chain.store.ts'

/** Later than every revision. */
export const endOfTime = Number.MAX_SAFE_INTEGER

/** Changes that are read at once: at first, and at most. Each may have some 16 MiB to be hashed. */
const portions = [8, 512] as const

/** Time of a portion after which the next one is smaller, in milliseconds. A statement may take 2 s. */
const longMs = 250

interface SliceOptions {
  readonly namespaceKey: string
  readonly keys: ChainKeys
  readonly start: ChainPlace
  readonly proof: PlaceProof | undefined
}

/** Verifies some of a namespace's changes, and keeps what it has found if it is interrupted. */
export class Slice {
  readonly check: ChainCheck
  readonly gaps: Gap[] = []
  readonly #namespaceKey: string
  readonly #start: ChainPlace
  /** The first revision that fits; 0 when there is none. */
  first = 0
  /** Whether there is no change after these. */
  isAtEnd = false

  constructor({ namespaceKey, keys, start, proof }: SliceOptions) {
    this.check = new ChainCheck({ keys, start, proof, noun: 'revision' })
    this.#namespaceKey = namespaceKey
    this.#start = start
  }

  /** Nothing may be left from before the beginning of the log. */
  async checkBeginning(tx: Queryable): Promise<void> {
    const before = this.#start.position
    const [left] = await tx.query<{ revision: number }>(
      `SELECT least((SELECT min(revision) FROM resource.changes
                      WHERE namespace_key = $1 AND revision <= $2),
                    (SELECT min(revision) FROM resource.change_items
                      WHERE namespace_key = $1 AND revision <= $2)) AS revision`,
      [this.#namespaceKey, before],
    )
    if (left === undefined || left.revision === null) return
    this.check.break(left.revision, `revision ${left.revision} is from before the start of the log`)
  }

  /** Goes on until the end, a break, so many changes, or a time of the clock of `performance`. */
  async run(tx: Queryable, limit: number, deadline: number): Promise<void> {
    let size: number = portions[0]
    while (this.check.checked < limit && performance.now() < deadline) {
      const begun = performance.now()
      const asked = Math.min(size, limit - this.check.checked)
      if (!(await this.#checkPortion(tx, asked)) || this.isAtEnd) return
      size = performance.now() - begun > longMs ? portions[0] : Math.min(size * 2, portions[1])
    }
  }

  /** @returns whether all of it fits */
  async #checkPortion(tx: Queryable, limit: number): Promise<boolean> {
    const { position } = this.check.last
    const changes = await readChained(tx, this.#namespaceKey, position, limit)
    this.isAtEnd = changes.length < limit
    const last = this.isAtEnd ? endOfTime : (changes.at(-1)?.revision ?? endOfTime)
    const stray = await findStray(tx, this.#namespaceKey, position, last)
    const fits = changes.every((change) => {
      if (stray !== undefined && stray < change.revision) return false
      return this.#add(change)
    })
    // The first break counts: this one, unless a change before it did not fit.
    if (stray !== undefined)
      this.check.break(stray, `revision ${stray} has items, but is no change`)
    return fits && stray === undefined
  }

  #add(change: ChainedChange): boolean {
    const { revision, previousHash, keyId, hash, itemsHash, foundHash, isComplete } = change
    if (!isComplete || !itemsHash.equals(foundHash)) {
      return this.check.break(revision, `revision ${revision} is not as it was written`)
    }
    const row = { position: revision, previousHash, keyId, hash, text: textOf(change) }
    if (!this.check.add(row)) return false
    if (this.first === 0) this.first = revision
    const gap = gapOf(change.details)
    if (gap !== undefined) this.gaps.push(gap)
    return true
  }

  /** The newest change is the head; what the namespace has beyond it was written without the log. */
  async checkEnd(tx: Queryable, chain: ChainState): Promise<void> {
    const { position, hash } = this.check.last
    const { headRevision, headHash, startedRevision, namespaceRevision } = chain
    const expected = position === 0 ? startedRevision : position
    const head = headRevision ?? 0
    if (head > expected) {
      this.check.break(head, `revision ${head}, the head of the log, is missing`)
    } else if (head < expected) {
      this.check.break(position, `revision ${position} is later than the head of the log`)
    } else if (headHash !== null && !headHash.equals(hash)) {
      this.check.break(head, `revision ${head} is not the head of the log`)
    }
    if (this.check.brokenAt !== undefined) return
    if (namespaceRevision !== null && namespaceRevision > head) {
      this.gaps.push({ fromRevision: head, toRevision: namespaceRevision })
    } else if (
      namespaceRevision === null &&
      !(await endsWithDeletion(tx, this.#namespaceKey, position))
    ) {
      this.gaps.push({ fromRevision: head })
    }
  }
}

/** The gap that a change says is before it: the service's own word, which is in the hash. */
function gapOf(details: string | null): Gap | undefined {
  const gap: unknown = details === null ? undefined : JSON.parse(details).gap
  if (typeof gap !== 'object' || gap === null || !('from' in gap) || !('to' in gap))
    return undefined
  return { fromRevision: Number(gap.from), toRevision: Number(gap.to) }
}
