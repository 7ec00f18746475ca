import type { Database } from '@svc/database'
import { AppError, type Logger } from '@svc/runtime'
import {
  type Revisions,
  readChangesSince,
  readDeletions,
  readRevisions,
} from './changes-since.store.ts'
import type { UnsentChange } from './messages.ts'
import { ReadQueue } from './read-queue.ts'
import { maxDeletions, ReplicationState } from './replication-state.ts'
import { Watcher } from './watcher.ts'

/** Maximum concurrent reads: each holds a connection. */
export const maxReads = 3

/**
 * Replication source: everything that watchers are sent, in memory. A change is read once, however
 * many watchers there are, and a new watcher is served without a query.
 */
export class ChangeFeed {
  readonly #db: Database
  readonly #log: Logger
  readonly #state = new ReplicationState()
  readonly #queue: ReadQueue
  readonly #watchers = new Set<Watcher>()
  /** Namespaces that have never been read. */
  readonly #missing = new Set<string>()
  /** Namespaces that could not be read, which was logged. */
  readonly #unreadable = new Set<string>()
  #knowsDeletions = false
  #isUnavailable = false
  #reportedUnavailable = false
  #completeAt = performance.now()
  #looking = Promise.resolve<unknown>(undefined)
  #queued: Promise<boolean> | undefined
  readonly #loading = Promise.withResolvers<void>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
    this.#queue = new ReadQueue({
      limit: maxReads,
      read: (key) => this.#read(key),
      revisionOf: (key) => this.#state.revisionOf(key),
      isFailing: (key) => this.#unreadable.has(key),
    })
  }

  /** Starts no further reads, and waits for those under way. */
  close(): Promise<void> {
    return this.#queue.close()
  }

  /** Resolves when every namespace has been read, except those that cannot be. */
  get loaded(): Promise<void> {
    return this.#loading.promise
  }

  /** Whether every namespace has been read at least once. */
  get isWhole(): boolean {
    return this.#missing.size === 0
  }

  /** When all that was committed had been read, by the clock of `performance.now()`. */
  get completeAt(): number {
    return this.#completeAt
  }

  /** The caller gives the watcher back to {@link leave}. */
  join(heldKeys: Iterable<string>): Watcher {
    const keys = new Set([...this.#state.keys(), ...heldKeys])
    const watcher = new Watcher(keys, (key) => this.#queue.request(key))
    this.#watchers.add(watcher)
    return watcher
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher)
  }

  /**
   * What a watcher lacks of a namespace.
   *
   * @param held the revision that it has; `undefined` when it has nothing
   * @returns `undefined` when it is ahead of this process. Another replica may have read more, or a
   *   backup was restored: once a new read has confirmed that, the watcher is sent the earlier state.
   */
  changesFor(
    watcher: Watcher,
    namespaceKey: string,
    held: number | undefined,
  ): Iterable<UnsentChange> | undefined {
    const isAhead = held !== undefined && held > this.#state.revisionOf(namespaceKey)
    if (isAhead && !watcher.isConfirmed(namespaceKey)) return undefined
    return this.#state.changesSince(namespaceKey, held)
  }

  /** @param payload of the notification of a commit: `<namespace>:<revision>` */
  onNotification(payload: string): void {
    const [namespaceKey = '', revision] = payload.split(':')
    void this.#queue.request(namespaceKey, revision === undefined ? undefined : Number(revision))
  }

  /**
   * Polls for changes whose notification was lost. A poll under way is waited for, and another one
   * follows: what the caller waits for may have been committed after the first began.
   *
   * @returns whether the database answered; changes are still being read then; never throws
   */
  refresh(): Promise<boolean> {
    this.#queued ??= this.#looking.then(() => {
      this.#queued = undefined
      const refreshing = this.#refresh()
      this.#looking = refreshing
      return refreshing
    })
    return this.#queued
  }

  async #refresh(): Promise<boolean> {
    const startedAt = performance.now()
    const revisions = await this.#look()
    if (revisions === undefined) return false
    for (const [key, { compactedRevision }] of revisions) {
      if (this.#state.has(key)) this.#state.compact(key, compactedRevision)
      else this.#missing.add(key)
    }
    for (const key of this.#unreadable) if (!revisions.has(key)) this.#unreadable.delete(key)
    // Not awaited: a namespace that takes long to read must not delay the next poll.
    void this.#readAll(this.#differing(revisions), startedAt)
    return true
  }

  /** Namespaces whose revision differs from the database's, each with the revision to read. */
  #differing(revisions: ReadonlyMap<string, Revisions>): Map<string, number> {
    const differing = new Map<string, number>()
    for (const [key, { revision }] of revisions) {
      const known = this.#state.revisionOf(key)
      if (known < revision) differing.set(key, revision)
      // A restored backup: the number alone does not show what has changed.
      else if (known > revision) differing.set(key, Number.POSITIVE_INFINITY)
    }
    for (const key of [...this.#state.keys(), ...this.#missing]) {
      if (!revisions.has(key)) differing.set(key, Number.POSITIVE_INFINITY)
    }
    return differing
  }

  async #readAll(wanted: ReadonlyMap<string, number>, askedAt: number): Promise<void> {
    const reads = Array.from(wanted, async ([key, revision]) => {
      return { key, isRead: await this.#queue.request(key, revision) }
    })
    const unread = (await Promise.all(reads)).filter(({ isRead }) => !isRead)
    if (unread.length === 0) this.#completeAt = Math.max(this.#completeAt, askedAt)
    if (!unread.every(({ key }) => this.#unreadable.has(key))) return
    this.#notifyAvailability()
    this.#loading.resolve()
  }

  /** @returns `undefined` when the database does not answer */
  async #look(): Promise<ReadonlyMap<string, Revisions> | undefined> {
    try {
      const revisions = await readRevisions(this.#db)
      if (!this.#knowsDeletions) {
        for (const { key, revision } of await readDeletions(this.#db, maxDeletions)) {
          if (!revisions.has(key)) this.#state.noteDeletion(key, revision)
        }
        this.#knowsDeletions = true
      }
      if (this.#isUnavailable) this.#log.info('the database is back')
      this.#isUnavailable = false
      return revisions
    } catch (error) {
      if (!this.#isUnavailable) this.#log.warn({ err: error }, 'cannot read changes; trying again')
      this.#isUnavailable = true
      this.#notifyAvailability()
      return undefined
    }
  }

  /** Notifies watchers when an outage begins, and when all that was missed has been read. */
  #notifyAvailability(): void {
    if (this.#isUnavailable === this.#reportedUnavailable) return
    this.#reportedUnavailable = this.#isUnavailable
    for (const watcher of this.#watchers) watcher.notifyStatus()
  }

  async #read(namespaceKey: string): Promise<boolean> {
    let error = await this.#tryToRead(namespaceKey)
    // One namespace may be slow or unreadable while the database serves the rest…
    if (error !== undefined && !this.#unreadable.has(namespaceKey)) {
      if ((await this.#look()) === undefined) return false
      // …but a short outage leaves broken connections behind: retry once.
      error = await this.#tryToRead(namespaceKey)
      if (error !== undefined) this.#noteUnreadable(error, namespaceKey)
    }
    return error === undefined
  }

  /** @returns what went wrong */
  async #tryToRead(namespaceKey: string): Promise<unknown> {
    const since = this.#state.has(namespaceKey) ? this.#state.revisionOf(namespaceKey) : 0
    try {
      this.#state.apply(await readChangesSince(this.#db, namespaceKey, since))
    } catch (error) {
      return error
    }
    if (this.#unreadable.delete(namespaceKey)) {
      this.#log.info({ namespaceKey }, 'can read the namespace again')
    }
    this.#missing.delete(namespaceKey)
    for (const watcher of this.#watchers) watcher.markChanged(namespaceKey)
    return undefined
  }

  #noteUnreadable(error: unknown, namespaceKey: string): void {
    this.#unreadable.add(namespaceKey)
    // A statement timeout is reported to callers as an unavailable database; the log has the cause.
    const err = error instanceof AppError ? (error.cause ?? error) : error
    const message = 'cannot read the changes of a namespace; trying again'
    this.#log.warn({ err, namespaceKey }, message)
  }
}
