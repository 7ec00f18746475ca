import { isDeepStrictEqual } from 'node:util'
import type { Database } from '@svc/database'
import type { NamespaceChange } from '@svc/proto/resource/v1/watch'
import { AppError, type Logger } from '@svc/runtime'
import { readChangesSince, readRevisions } from './changes-since.store.ts'
import { toMessages } from './delta.ts'

/**
 * What this process knows of the namespaces' revisions, for all of its watchers: one read tells
 * all of them, and those who stand at the same place share what they are sent.
 */
export class ChangeFeed {
  readonly #db: Database
  readonly #log: Logger
  #revisions: ReadonlyMap<string, number> = new Map()
  #version = 0
  #isAway = false
  #readAt = performance.now()
  #running = Promise.resolve(true)
  #queued: Promise<boolean> | undefined
  readonly #waiting = new Set<() => void>()
  /** By place; forgotten with every refresh, so there are as many as places at one moment. */
  readonly #changes = new Map<string, Promise<NamespaceChange[] | undefined>>()
  /** The namespaces of which that was logged. */
  readonly #unreadable = new Set<string>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Counts the times that {@link next} had something to tell. */
  get version(): number {
    return this.#version
  }

  /** Whether the database did not answer when it was last asked for the revisions. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** How long ago the revisions were last read, in milliseconds; before that, since the beginning. */
  get ageMs(): number {
    return performance.now() - this.#readAt
  }

  /**
   * Reads the revisions, at once or as soon as the read under way is done: what the caller wants to
   * see may have been committed after that began.
   *
   * @returns whether the database answered; never throws
   */
  refresh(): Promise<boolean> {
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined
      this.#running = this.#read()
      return this.#running
    })
    return this.#queued
  }

  /** Waits for news later than `seen`, a former {@link version}, but no longer than `waitMs`. */
  next(seen: number, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#version !== seen || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs)
      signal.addEventListener('abort', wake)
      this.#waiting.add(wake)
    })
  }

  /** The namespaces that are not, or no longer, at the revision that somebody holds of them. */
  differing(held: ReadonlyMap<string, number>): string[] {
    const gone = [...held.keys()].filter((key) => !this.#revisions.has(key))
    const moved = [...this.#revisions].filter(([key, revision]) => held.get(key) !== revision)
    return [...gone, ...moved.map(([key]) => key)]
  }

  /**
   * @returns `undefined` when they cannot be read; {@link isAway} says by then whether that is so
   *   of everything
   */
  changesSince(namespaceKey: string, revision: number): Promise<NamespaceChange[] | undefined> {
    const place = `${namespaceKey}:${revision}`
    const known = this.#changes.get(place)
    if (known !== undefined) return known
    const changes = readChangesSince(this.#db, namespaceKey, revision)
      .then((delta) => {
        this.#noteReading(namespaceKey)
        return toMessages(delta)
      })
      .catch((error: unknown) => this.#explain(error, namespaceKey))
    this.#changes.set(place, changes)
    return changes
  }

  async #read(): Promise<boolean> {
    this.#changes.clear()
    const readAt = performance.now()
    try {
      const revisions = await readRevisions(this.#db)
      const isNews = this.#isAway || !isDeepStrictEqual(revisions, this.#revisions)
      if (this.#isAway) this.#log.info('the database is back')
      this.#isAway = false
      this.#revisions = revisions
      this.#readAt = readAt
      for (const key of this.#unreadable) if (!revisions.has(key)) this.#unreadable.delete(key)
      if (isNews) this.#tell()
      return true
    } catch (error) {
      this.#noteAbsence(error)
      return false
    }
  }

  #tell(): void {
    this.#version += 1
    for (const wake of [...this.#waiting]) wake()
  }

  /** A namespace may take too long, or not be readable, while the database serves all others. */
  async #explain(error: unknown, namespaceKey: string): Promise<undefined> {
    if (!(await this.refresh()) || this.#unreadable.has(namespaceKey)) return
    this.#unreadable.add(namespaceKey)
    // What callers are told of a statement that took too long is that there is no database.
    const err = error instanceof AppError ? (error.cause ?? error) : error
    const message = 'cannot read the changes of a namespace; trying again'
    this.#log.warn({ err, namespaceKey }, message)
  }

  #noteReading(namespaceKey: string): void {
    if (!this.#unreadable.delete(namespaceKey)) return
    this.#log.info({ namespaceKey }, 'can read the namespace again')
  }

  /** Once, however long it lasts. */
  #noteAbsence(error: unknown): void {
    if (!this.#isAway) this.#log.warn({ err: error }, 'cannot read changes; trying again')
    this.#isAway = true
  }
}
