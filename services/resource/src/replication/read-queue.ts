interface Wanted {
  /** What the read is for; needless when that is there by its turn. */
  revision: number
  readonly done: PromiseWithResolvers<boolean>
}

export interface ReadQueueOptions {
  /** How many namespaces are read at once. */
  readonly limit: number
  /** @returns whether it could be read; must not throw */
  readonly read: (namespaceKey: string) => Promise<boolean>
  readonly revisionOf: (namespaceKey: string) => number
  /** Of those that could not be read only one is tried at a time: it may take long to fail. */
  readonly isFailing: (namespaceKey: string) => boolean
}

/**
 * Whose turn it is to be read. A namespace that is wanted often is read once for all who wanted it
 * before its turn, and never twice at the same time.
 */
export class ReadQueue {
  readonly #options: ReadQueueOptions
  readonly #wanted = new Map<string, Wanted>()
  readonly #running = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(options: ReadQueueOptions) {
    this.#options = options
  }

  /**
   * @param revision what is known to be there; left out, the namespace is read in any case
   * @returns whether it could be read, which happened after the call
   */
  want(namespaceKey: string, revision = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false)
    const wanted = this.#wanted.get(namespaceKey) ?? { revision, done: Promise.withResolvers() }
    wanted.revision = Math.max(wanted.revision, revision)
    this.#wanted.set(namespaceKey, wanted)
    this.#startSome()
    return wanted.done.promise
  }

  /** Starts no further reads, and waits for those under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { done } of this.#wanted.values()) done.resolve(false)
    this.#wanted.clear()
    await Promise.all(this.#running.values())
  }

  #startSome(): void {
    const { limit, revisionOf, isFailing } = this.#options
    let isTryingFailing = [...this.#running.keys()].some(isFailing)
    for (const [key, { revision, done }] of this.#wanted) {
      if (this.#running.size >= limit) return
      const failing = isFailing(key)
      if (this.#running.has(key) || (failing && isTryingFailing)) continue
      this.#wanted.delete(key)
      if (revisionOf(key) >= revision) {
        done.resolve(true)
        continue
      }
      isTryingFailing ||= failing
      this.#running.set(key, this.#read(key, done.resolve))
    }
  }

  async #read(namespaceKey: string, resolve: (isRead: boolean) => void): Promise<void> {
    const isRead = await this.#options.read(namespaceKey)
    this.#running.delete(namespaceKey)
    resolve(isRead)
    this.#startSome()
  }
}
