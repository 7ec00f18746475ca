import type { Database } from '@svc/database'
import type { Logger, Running } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { claimMembership, makeMembershipDue } from './memberships.store.ts'
import { openAccessToken } from './sealed-access-token.ts'

/** What the code host is asked at once; each of them takes some three requests. */
const maxAtOnce = 4

/** Those who wait beyond that are noticed again at their next request. */
const maxWaiting = 1000

/** Some 10 MB. A login that falls out of it costs a query. */
const maxLogins = 50_000

/** When the code host does not answer, how long until it is asked again, in milliseconds. */
const retryMs = 60_000

/** Longer than a check takes: meanwhile nobody else need begin one. */
const underWayMs = 10_000

export interface MembershipChecksOptions {
  readonly db: Database
  readonly intervalMs: number
  /** @throws when nobody can tell */
  readonly isStillAdmitted: (accessToken: string) => Promise<boolean>
  /** Returns whether there still was one to end. */
  readonly end: (authenticationId: string) => Promise<boolean>
  readonly log: Logger
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/**
 * Looks again, at intervals, whether those logged in are still members of what let them in, and
 * ends their login when they are not. A login that was made when memberships did not matter ends as
 * well: there is nothing to look at them with.
 *
 * It is the use of a login that has its memberships looked at, for only then can its access token
 * be opened; a login that is not used does no harm. Requests do not wait for it. Of several
 * processes one does it, for the database says when it is due.
 */
export class MembershipChecks implements Running {
  readonly #options: MembershipChecksOptions
  readonly #now: () => number
  readonly #dueAt = new LRUCache<string, number>({ max: maxLogins })
  readonly #waiting = new Map<string, string>()
  readonly #underWay = new Set<Promise<void>>()
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
    this.#goOn()
  }

  /** Waits until all uses that were noted have been dealt with. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Waits for those under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.clear()
    await this.settled()
  }

  #goOn(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#underWay.size >= maxAtOnce) return
    const [authenticationId, clientToken] = next
    this.#waiting.delete(authenticationId)
    this.#dueIn(authenticationId, underWayMs)
    const checking = this.#check(authenticationId, clientToken).finally(() => {
      this.#underWay.delete(checking)
      this.#goOn()
    })
    this.#underWay.add(checking)
  }

  async #check(authenticationId: string, clientToken: string): Promise<void> {
    const { db, intervalMs, isStillAdmitted, end, log } = this.#options
    try {
      const claim = await claimMembership(db, authenticationId, intervalMs)
      this.#dueIn(authenticationId, claim?.dueInMs ?? intervalMs)
      // Somebody else does it, or has done it a moment ago.
      if (claim?.sealedAccessToken === null) return
      const login = { authenticationId, clientToken }
      const accessToken = claim && openAccessToken(claim.sealedAccessToken, login)
      if (accessToken !== undefined && (await isStillAdmitted(accessToken))) return
      if (!(await end(authenticationId))) return
      const reason = accessToken === undefined ? 'cannot be looked at' : 'are gone'
      log.info({ id: authenticationId }, `ended a login whose memberships ${reason}`)
    } catch (error) {
      log.warn({ id: authenticationId, err: error }, 'cannot tell whether a login is still allowed')
      await this.#tryAgainLater(authenticationId)
    }
  }

  async #tryAgainLater(authenticationId: string): Promise<void> {
    const { db, intervalMs, log } = this.#options
    const dueInMs = Math.min(retryMs, intervalMs)
    this.#dueIn(authenticationId, dueInMs)
    // When this fails as well, it is due again after the whole interval.
    await makeMembershipDue(db, authenticationId, intervalMs, dueInMs).catch((error: unknown) =>
      log.warn({ id: authenticationId, err: error }, 'cannot have a login looked at again soon'),
    )
  }

  #dueIn(authenticationId: string, ms: number): void {
    this.#dueAt.set(authenticationId, this.#now() + ms)
  }
}
