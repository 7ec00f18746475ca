import type { Database } from '@svc/database'
import { Limiter, type Logger, maxEntries, type Running } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { openForLogin } from '../login/seal.ts'
import { claimMembership, confirmMembership } from './memberships.store.ts'

/** Each check takes some three requests. */
const maxRunning = 4

/** Maximum queue. A login beyond it is queued again at its next request. */
const maxWaiting = 1000

/** Maximum logins remembered: some 10 MB. An evicted one costs a query. */
const logins = maxEntries(50_000)

/** Retry interval while the code host is unavailable, in milliseconds. */
const retryMs = 60_000

export interface MembershipChecksOptions {
  readonly db: Database
  readonly intervalMs: number
  readonly isStillAdmitted: (accessToken: string) => Promise<boolean>
  /** @returns whether the login still existed */
  readonly end: (authenticationId: string) => Promise<boolean>
  readonly log: Logger
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/**
 * A scheduler that ends logins without the memberships that admitted them, or without an access token to
 * check with. A use of the login triggers the check: only then can the token be opened. The database says
 * when it is due, so that of several processes one makes it. See docs/decisions/0011.
 */
export class MembershipChecks implements Running {
  readonly #options: MembershipChecksOptions
  readonly #now: () => number
  readonly #dueAt = new LRUCache<string, number>(logins)
  readonly #limiter = new Limiter({
    maxRunning,
    maxWaiting,
    refuse: () => new Error('queue is full'),
  })
  readonly #checking = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: MembershipChecksOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Never waits and never throws. */
  noteUse(authenticationId: string, clientToken: string): void {
    const dueAt = this.#dueAt.get(authenticationId) ?? 0
    if (this.#isClosed || this.#now() < dueAt) return
    // The check sets when the next one is due.
    this.#dueAt.set(authenticationId, Number.POSITIVE_INFINITY)
    const checking = this.#limiter
      .run('', () => this.#check(authenticationId, clientToken))
      .catch(() => void this.#dueAt.delete(authenticationId))
      .finally(() => this.#checking.delete(checking))
    this.#checking.add(checking)
  }

  /** Waits until the queue is empty. */
  async settled(): Promise<void> {
    await Promise.all(this.#checking)
  }

  /** Drops the queue and waits for the checks in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
  }

  async #check(authenticationId: string, clientToken: string): Promise<void> {
    if (this.#isClosed) return
    const { db, intervalMs, isStillAdmitted, end, log } = this.#options
    const retryInMs = Math.min(retryMs, intervalMs)
    let dueInMs = retryInMs
    try {
      const claim = await claimMembership(db, authenticationId, intervalMs, retryInMs)
      // Another process makes the check, or has just made it.
      if (claim?.sealedAccessToken === null) {
        dueInMs = claim.dueInMs
        return
      }
      const login = { authenticationId, clientToken }
      const accessToken =
        claim && openForLogin('svc code host access token', claim.sealedAccessToken, login)
      if (accessToken !== undefined && (await isStillAdmitted(accessToken))) {
        await confirmMembership(db, authenticationId)
        dueInMs = intervalMs
      } else if (await end(authenticationId)) {
        const reason = accessToken === undefined ? 'cannot be checked' : 'are gone'
        log.info({ id: authenticationId }, `ended a login whose memberships ${reason}`)
      }
    } catch (error) {
      const message = 'cannot check whether a login is still allowed'
      log.warn({ id: authenticationId, err: error }, message)
    } finally {
      this.#dueAt.set(authenticationId, this.#now() + dueInMs)
    }
  }
}
