import type { Database } from '@svc/database'
import type { Logger, Running } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { claimMembership, makeMembershipDue } from './memberships.store.ts'
import { openAccessToken } from './sealed-access-token.ts'

/** Maximum concurrent checks; each takes some three requests. */
const maxConcurrent = 4

/** Maximum queue. A login beyond it is queued again at its next request. */
const maxWaiting = 1000

/** Maximum logins remembered: some 10 MB. An evicted one costs a query. */
const maxLogins = 50_000

/** Retry interval while the code host is unavailable, in milliseconds. */
const retryMs = 60_000

/** Longer than a check takes: no second one of the login begins meanwhile. */
const checkingMs = 10_000

export interface MembershipChecksOptions {
  readonly db: Database
  readonly intervalMs: number
  /** @throws when it cannot be decided */
  readonly isStillAdmitted: (accessToken: string) => Promise<boolean>
  /** @returns whether the login still existed */
  readonly end: (authenticationId: string) => Promise<boolean>
  readonly log: Logger
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/**
 * A scheduler that checks at intervals whether logins still have the memberships that admitted them,
 * and ends those that do not. A login from before memberships mattered ends as well: it has no access
 * token to check with.
 *
 * A check is triggered by a use of the login, because only then can its access token be opened; an
 * unused login does no harm. Requests do not wait for it. The database says when a check is due, so
 * that of several processes one makes it.
 */
export class MembershipChecks implements Running {
  readonly #options: MembershipChecksOptions
  readonly #now: () => number
  readonly #dueAt = new LRUCache<string, number>({ max: maxLogins })
  readonly #waiting = new Map<string, string>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: MembershipChecksOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Never waits and never throws. */
  noteUse(authenticationId: string, clientToken: string): void {
    if (this.#isClosed || this.#waiting.size >= maxWaiting) return
    const dueAt = this.#dueAt.get(authenticationId)
    if (dueAt !== undefined && this.#now() < dueAt) return
    this.#waiting.set(authenticationId, clientToken)
    this.#startNext()
  }

  /** Waits until the queue is empty. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Drops the queue and waits for the checks in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.clear()
    await this.settled()
  }

  #startNext(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#running.size >= maxConcurrent) return
    const [authenticationId, clientToken] = next
    this.#waiting.delete(authenticationId)
    this.#dueIn(authenticationId, checkingMs)
    const checking = this.#check(authenticationId, clientToken).finally(() => {
      this.#running.delete(checking)
      this.#startNext()
    })
    this.#running.add(checking)
  }

  async #check(authenticationId: string, clientToken: string): Promise<void> {
    const { db, intervalMs, isStillAdmitted, end, log } = this.#options
    try {
      const claim = await claimMembership(db, authenticationId, intervalMs)
      this.#dueIn(authenticationId, claim?.dueInMs ?? intervalMs)
      // Another process makes the check, or has just made it.
      if (claim?.sealedAccessToken === null) return
      const login = { authenticationId, clientToken }
      const accessToken = claim && openAccessToken(claim.sealedAccessToken, login)
      if (accessToken !== undefined && (await isStillAdmitted(accessToken))) return
      if (!(await end(authenticationId))) return
      const reason = accessToken === undefined ? 'cannot be checked' : 'are gone'
      log.info({ id: authenticationId }, `ended a login whose memberships ${reason}`)
    } catch (error) {
      log.warn(
        { id: authenticationId, err: error },
        'cannot check whether a login is still allowed',
      )
      await this.#tryAgainLater(authenticationId)
    }
  }

  async #tryAgainLater(authenticationId: string): Promise<void> {
    const { db, intervalMs, log } = this.#options
    const dueInMs = Math.min(retryMs, intervalMs)
    this.#dueIn(authenticationId, dueInMs)
    // If this fails as well, the check is due after the whole interval.
    await makeMembershipDue(db, authenticationId, intervalMs, dueInMs).catch((error: unknown) =>
      log.warn(
        { id: authenticationId, err: error },
        'cannot schedule a retry of a membership check',
      ),
    )
  }

  #dueIn(authenticationId: string, ms: number): void {
    this.#dueAt.set(authenticationId, this.#now() + ms)
  }
}
