import { ChainCheck, type ChainKeys, type ChainPlace, type PlaceProof } from '@svc/audit'
import type { Queryable } from '@svc/database'
import type { Gap } from '@svc/proto/resource/v1/changes'
import { endsWithDeletion } from '../changes/log.store.ts'
import { type ChainedChange, type ChainState, readChained, textOf } from './chain.store.ts'
import { ChainedItems, type FoundItems } from './chained-items.ts'

/** Later than every revision. */
export const endOfTime = Number.MAX_SAFE_INTEGER

/** Maximum changes that are read at once, without their items: each has texts of some 10 KiB at most. */
const portion = 500

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

  /**
   * Goes on until the end, a break, so many changes, or a time of the clock of `performance`; but for one change
   * at least, so that the next slice begins later.
   */
  async run(tx: Queryable, limit: number, deadline: number): Promise<void> {
    const isLate = () => this.check.checked > 0 && performance.now() >= deadline
    while (!this.isAtEnd && this.check.checked < limit && !isLate()) {
      const asked = Math.min(portion, limit - this.check.checked)
      if (!(await this.#checkPortion(tx, asked, isLate))) return
    }
  }

  /** @returns whether all of it fits */
  async #checkPortion(tx: Queryable, limit: number, isLate: () => boolean): Promise<boolean> {
    const [namespaceKey, after] = [this.#namespaceKey, this.check.last.position]
    const changes = await readChained(tx, namespaceKey, after, limit)
    const isLast = changes.length < limit
    const upTo = isLast ? endOfTime : (changes.at(-1)?.revision ?? endOfTime)
    const items = new ChainedItems(tx, { namespaceKey, after, upTo })
    for (const change of changes) {
      if (isLate()) return true
      if (!(await this.#checkStray(items, change.revision))) return false
      if (!this.#add(change, await items.take(change.revision))) return false
    }
    if (!(await this.#checkStray(items, undefined))) return false
    this.isAtEnd = isLast
    return true
  }

  /** The next items may be of no change before this one, or of none at all when there is no further one. */
  async #checkStray(items: ChainedItems, next: number | undefined): Promise<boolean> {
    const revision = await items.nextRevision()
    if (revision === undefined || (next !== undefined && revision >= next)) return true
    return this.check.break(revision, `revision ${revision} has items, but is no change`)
  }

  #add(change: ChainedChange, found: FoundItems): boolean {
    const { revision, previousHash, keyId, hash, itemsHash } = change
    if (!found.isComplete || !itemsHash.equals(found.hash)) {
      return this.check.break(revision, `revision ${revision} is not as it was written`)
    }
    const row = { position: revision, previousHash, keyId, hash, text: textOf(change, found.hash) }
    if (!this.check.add(row)) return false
    if (this.first === 0) this.first = revision
    const gap = gapOf(change.details)
    if (gap !== undefined) this.gaps.push(gap)
    return true
  }

  /**
   * The newest change is the head, which retention keeps; what the namespace has beyond it was written without
   * the log.
   */
  async checkEnd(tx: Queryable, chain: ChainState): Promise<void> {
    const { position, hash } = this.check.last
    const { headRevision, headHash, startedRevision, prunedRevision, namespaceRevision } = chain
    const expected = position === 0 ? startedRevision : position
    const head = headRevision ?? 0
    const isEmptied = prunedRevision !== 0 && prunedRevision === head
    if (head > expected || isEmptied) {
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
