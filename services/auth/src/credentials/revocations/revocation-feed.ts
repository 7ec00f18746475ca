import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseClock, type Queryable, readClock } from '@svc/database'
import { type Logger, unavailable } from '@svc/runtime'
import type { RecentRevocations, Revocation } from './recent-revocations.ts'
import { readRevocations } from './revocations.store.ts'

/** How often to look even when nobody has called, for calls can be lost. */
export const pollIntervalMs = 1000

/** A poll that takes longer has met a connection that is dead; the next one takes another. */
const pollTimeoutMs = 500

/** Two polls and what one may take: a single one may fail. */
const followingForMs = 2500

/** With this many a poll takes some 20 ms. */
const batchSize = 5000

export interface RevocationFeedParts {
  /** Of its own, for when requests use up all connections, revocations are still heard of. */
  readonly db: Queryable
  readonly clock: DatabaseClock
  readonly revocations: RecentRevocations
  readonly log: Logger
}

/**
 * Reads the revocations of all processes from the database, in order, none left out; also when the
 * database is replaced by an older one, in which their numbers are drawn once more.
 */
export class RevocationFeed {
  readonly #parts: RevocationFeedParts
  /** The last one that was read. The database keeps it until there are later ones. */
  #last: Revocation | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #wasFollowing = false

  constructor(parts: RevocationFeedParts) {
    this.#parts = parts
  }

  /** Whether everything is known here that was committed until a moment ago. */
  isFollowing(): boolean {
    return performance.now() - this.#readAt < followingForMs
  }

  /** Reads what is kept of the last hour; before that, nothing that is cached can be trusted. */
  async load(): Promise<void> {
    await this.#read()
    this.#wasFollowing = true
  }

  /** Reads what is new. While a reading is under way, the next one serves all who ask. */
  read(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const reading = this.#readInTime()
      this.#current = reading.catch(() => {})
      return reading
    })
    return this.#next
  }

  /** To be called every second; says so once when it fails, and when it succeeds again. */
  async poll(): Promise<void> {
    const { log } = this.#parts
    const reason = await this.read().then(() => undefined, String)
    if (this.isFollowing() === this.#wasFollowing) return
    this.#wasFollowing = this.isFollowing()
    if (this.#wasFollowing) log.info('following revocations again')
    else log.warn({ reason }, 'cannot follow revocations: asking the database about each token')
  }

  async #readInTime(): Promise<void> {
    const ended = new AbortController()
    const tooLate = sleep(pollTimeoutMs, undefined, { signal: ended.signal }).then(() => {
      throw unavailable('reading revocations takes too long')
    })
    await Promise.race([this.#read(), tooLate]).finally(() => ended.abort())
  }

  async #read(): Promise<void> {
    const { db, clock, revocations } = this.#parts
    const startedAt = performance.now()
    await clock.synchronize(() => readClock(db))
    let last = this.#last
    for (;;) {
      const read = await readRevocations(db, last?.seq ?? 0, batchSize)
      const isGone = last !== undefined && !isSame(last, read[0])
      if (isGone) this.#reportGap()
      else revocations.accept(last === undefined ? read : read.slice(1))
      const next = isGone ? undefined : read.at(-1)
      // One that took too long may still be reading beside this one.
      if (this.#last === last) this.#last = next
      last = next
      if (!isGone && read.length < batchSize) break
    }
    this.#readAt = Math.max(this.#readAt, startedAt)
  }

  #reportGap(): void {
    const { log, revocations } = this.#parts
    log.warn('the last revocation that was read is gone: reading all of them anew')
    revocations.reportGap()
  }
}

function isSame(last: Revocation, first: Revocation | undefined): boolean {
  return last.seq === first?.seq && last.tokenHash === first.tokenHash
}
