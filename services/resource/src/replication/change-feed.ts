import type { Database } from '@svc/database'
import type { NamespaceChange } from '@svc/proto/resource/v1/watch'
import { AppError, type Logger } from '@svc/runtime'
import {
  type Revisions,
  readChangesSince,
  readDeletions,
  readRevisions,
} from './changes-since.store.ts'
import { Images, maxDeletions } from './images.ts'
import { ReadQueue } from './read-queue.ts'
import { Watcher } from './watcher.ts'

/** Each holds a connection, and PostgreSQL has other things to do as well. */
export const maxReads = 3

/**
 * Everything that watchers are sent, in memory, for all of them: a change is read once, however many
 * watch, and whoever comes is served without a query.
 */
export class ChangeFeed {
  readonly #db: Database
  readonly #log: Logger
  readonly #images = new Images()
  readonly #queue: ReadQueue
  readonly #watchers = new Set<Watcher>()
  /** Namespaces that have not been read once. */
  readonly #missing = new Set<string>()
  /** The namespaces of which that was logged. */
  readonly #unreadable = new Set<string>()
  #knowsDeletions = false
  #isAway = false
  #toldAway = false
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
      revisionOf: (key) => this.#images.revisionOf(key),
      isFailing: (key) => this.#unreadable.has(key),
    })
  }

  /** Reads nothing any more, once the reads under way are done. */
  close(): Promise<void> {
    return this.#queue.close()
  }

  /** Resolves when every namespace is here, but for those that cannot be read. */
  get loaded(): Promise<void> {
    return this.#loading.promise
  }

  /** Whether every namespace has been read, if not just now. */
  get isWhole(): boolean {
    return this.#missing.size === 0
  }

  /** When all that was committed was here, by the clock of `performance.now()`. */
  get completeAt(): number {
    return this.#completeAt
  }

  /** The caller hands the watcher back to {@link leave}. */
  join(heldKeys: Iterable<string>): Watcher {
    const keys = new Set([...this.#images.keys(), ...heldKeys])
    const watcher = new Watcher(keys, (key) => this.#queue.want(key))
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
   * @returns `undefined` when it has more than is here. The one that it comes from may have heard of
   *   more, or else the database was set back to an earlier state: once the watcher is sure of that,
   *   it is sent that state.
   */
  changesFor(
    watcher: Watcher,
    namespaceKey: string,
    held: number | undefined,
  ): Iterable<NamespaceChange> | undefined {
    const isAhead = held !== undefined && held > this.#images.revisionOf(namespaceKey)
    if (isAhead && !watcher.isSureOf(namespaceKey)) return undefined
    return this.#images.changesSince(namespaceKey, held)
  }

  /** @param payload what a commit announced: `<namespace>:<revision>` */
  hear(payload: string): void {
    const [namespaceKey = '', revision] = payload.split(':')
    void this.#queue.want(namespaceKey, revision === undefined ? undefined : Number(revision))
  }

  /**
   * Looks for changes that were not announced, at once or as soon as the look under way is done:
   * what the caller wants to see may have been committed after that began.
   *
   * @returns whether the database answered; what was found is still being read then; never throws
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
      if (this.#images.has(key)) this.#images.compact(key, compactedRevision)
      else this.#missing.add(key)
    }
    for (const key of this.#unreadable) if (!revisions.has(key)) this.#unreadable.delete(key)
    // Not waited for: a namespace that takes long to read must not keep others from being looked for.
    void this.#readAll(this.#differing(revisions), startedAt)
    return true
  }

  /** The namespaces that are not as the database says, and the revisions to be had of them. */
  #differing(revisions: ReadonlyMap<string, Revisions>): Map<string, number> {
    const differing = new Map<string, number>()
    for (const [key, { revision }] of revisions) {
      const known = this.#images.revisionOf(key)
      if (known < revision) differing.set(key, revision)
      // Or else an earlier state of the database has come back: there is no telling by the number.
      else if (known > revision) differing.set(key, Number.POSITIVE_INFINITY)
    }
    for (const key of [...this.#images.keys(), ...this.#missing]) {
      if (!revisions.has(key)) differing.set(key, Number.POSITIVE_INFINITY)
    }
    return differing
  }

  async #readAll(wanted: ReadonlyMap<string, number>, askedAt: number): Promise<void> {
    const reads = Array.from(wanted, async ([key, revision]) => {
      return { key, isRead: await this.#queue.want(key, revision) }
    })
    const unread = (await Promise.all(reads)).filter(({ isRead }) => !isRead)
    if (unread.length === 0) this.#completeAt = Math.max(this.#completeAt, askedAt)
    if (!unread.every(({ key }) => this.#unreadable.has(key))) return
    this.#tellOfAbsence()
    this.#loading.resolve()
  }

  /** @returns `undefined` when the database does not answer */
  async #look(): Promise<ReadonlyMap<string, Revisions> | undefined> {
    try {
      const revisions = await readRevisions(this.#db)
      if (!this.#knowsDeletions) {
        for (const { key, revision } of await readDeletions(this.#db, maxDeletions)) {
          if (!revisions.has(key)) this.#images.noteDeletion(key, revision)
        }
        this.#knowsDeletions = true
      }
      if (this.#isAway) this.#log.info('the database is back')
      this.#isAway = false
      return revisions
    } catch (error) {
      if (!this.#isAway) this.#log.warn({ err: error }, 'cannot read changes; trying again')
      this.#isAway = true
      this.#tellOfAbsence()
      return undefined
    }
  }

  /** Once when it begins, and once when what was missed has been read. */
  #tellOfAbsence(): void {
    if (this.#isAway === this.#toldAway) return
    this.#toldAway = this.#isAway
    for (const watcher of this.#watchers) watcher.tell()
  }

  async #read(namespaceKey: string): Promise<boolean> {
    let error = await this.#tryToRead(namespaceKey)
    // A namespace may take too long, or not be readable, while the database serves all others…
    if (error !== undefined && !this.#unreadable.has(namespaceKey)) {
      if ((await this.#look()) === undefined) return false
      // …but first of all, what was away for a moment leaves broken connections behind.
      error = await this.#tryToRead(namespaceKey)
      if (error !== undefined) this.#noteUnreadable(error, namespaceKey)
    }
    return error === undefined
  }

  /** @returns what went wrong */
  async #tryToRead(namespaceKey: string): Promise<unknown> {
    const since = this.#images.has(namespaceKey) ? this.#images.revisionOf(namespaceKey) : 0
    try {
      this.#images.apply(await readChangesSince(this.#db, namespaceKey, since))
    } catch (error) {
      return error
    }
    if (this.#unreadable.delete(namespaceKey)) {
      this.#log.info({ namespaceKey }, 'can read the namespace again')
    }
    this.#missing.delete(namespaceKey)
    for (const watcher of this.#watchers) watcher.touch(namespaceKey)
    return undefined
  }

  #noteUnreadable(error: unknown, namespaceKey: string): void {
    this.#unreadable.add(namespaceKey)
    // What callers are told of a statement that took too long is that there is no database.
    const err = error instanceof AppError ? (error.cause ?? error) : error
    const message = 'cannot read the changes of a namespace; trying again'
    this.#log.warn({ err, namespaceKey }, message)
  }
}
