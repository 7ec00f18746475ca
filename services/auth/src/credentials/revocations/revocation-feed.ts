import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseClock, type Queryable, readClock } from '@svc/database'
import { type Logger, unavailable } from '@svc/runtime'
import type { RecentRevocations, Revocation } from './recent-revocations.ts'
import { readRevocations } from './revocations.store.ts'

/** Poll interval, in milliseconds: notifications can be lost. */
export const pollIntervalMs = 1000

/** Time limit of a poll: the connection may be broken, and the next poll takes another. */
const pollTimeoutMs = 500

/** How long after a poll the feed counts as following: two polls, of which one may fail. */
const followingForMs = 2500

/** Maximum rows of a read, which takes some 20 ms. */
const batchSize = 5000

export interface RevocationFeedOptions {
  /** A pool apart from that of requests, which cannot delay revocations. */
  readonly db: Queryable
  readonly clock: DatabaseClock
  readonly revocations: RecentRevocations
  readonly log: Logger
}

/**
 * Reads the revocations of all processes from the database, in order and without gaps. A restored
 * backup, in which their numbers are drawn again, is detected.
 */
export class RevocationFeed {
  readonly #parts: RevocationFeedOptions
  /** The last revocation that was read. The database keeps it until there are later ones. */
  #last: Revocation | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #wasFollowing = true

  constructor(parts: RevocationFeedOptions) {
    this.#parts = parts
  }

  /** Whether this process has all revocations, except those of the last moments. */
  isFollowing(): boolean {
    return this.ageMs < followingForMs
  }

  /** Time since revocations were last read, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#readAt
  }

  /** Reads the revocations of the last hour; before that no cached lookup can be trusted. */
  load(): Promise<void> {
    return this.#read()
  }

  /** Reads new revocations. Calls during a read share the next one. */
  read(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const tooLate = sleep(pollTimeoutMs, undefined, { ref: false }).then(() => {
        throw unavailable('reading revocations takes too long')
      })
      const reading = Promise.race([this.#read(), tooLate])
      this.#current = reading.catch(() => {})
      return reading
    })
    return this.#next
  }

  /** To be called every second; logs the first failure, and the recovery. */
  async poll(): Promise<void> {
    const { log } = this.#parts
    const reason = await this.read().then(() => undefined, String)
    if (this.isFollowing() === this.#wasFollowing) return
    this.#wasFollowing = this.isFollowing()
    if (this.#wasFollowing) log.info('following revocations again')
    else log.warn({ reason }, 'cannot follow revocations: asking the database about each token')
  }

  async #read(): Promise<void> {
    const { db, clock, log, revocations } = this.#parts
    const startedAt = performance.now()
    await clock.synchronize(() => readClock(db))
    let last = this.#last
    for (;;) {
      const read = await readRevocations(db, last?.seq ?? 0, batchSize)
      const isGone = last !== undefined && !isSame(last, read[0])
      if (isGone) {
        log.warn('the last revocation that was read is gone: reading all of them anew')
        revocations.reportGap()
      } else revocations.accept(last === undefined ? read : read.slice(1))
      const next = isGone ? undefined : read.at(-1)
      // A read that timed out may still run beside this one.
      if (this.#last === last) this.#last = next
      last = next
      if (!isGone && read.length < batchSize) break
    }
    this.#readAt = Math.max(this.#readAt, startedAt)
  }
}

function isSame(last: Revocation, first: Revocation | undefined): boolean {
  return last.seq === first?.seq && last.tokenHash === first.tokenHash
}
