interface PendingRead {
  /** What the read is for; needless when that is there by then. */
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
 * Coalescing queue of reads. A namespace that is requested often is read once for all requests before
 * its read begins, and never twice at the same time.
 */
export class ReadQueue {
  readonly #options: ReadQueueOptions
  readonly #pending = new Map<string, PendingRead>()
  readonly #running = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(options: ReadQueueOptions) {
    this.#options = options
  }

  /**
   * @param revision what is known to be there; left out, the namespace is read in any case
   * @returns whether it could be read, which happened after the call
   */
  request(namespaceKey: string, revision = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false)
    const pending = this.#pending.get(namespaceKey) ?? { revision, done: Promise.withResolvers() }
    pending.revision = Math.max(pending.revision, revision)
    this.#pending.set(namespaceKey, pending)
    this.#startSome()
    return pending.done.promise
  }

  /** Starts no further reads, and waits for those under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { done } of this.#pending.values()) done.resolve(false)
    this.#pending.clear()
    await Promise.all(this.#running.values())
  }

  #startSome(): void {
    const { limit, revisionOf, isFailing } = this.#options
    let isTryingFailing = [...this.#running.keys()].some(isFailing)
    for (const [key, { revision, done }] of this.#pending) {
      if (this.#running.size >= limit) return
      const failing = isFailing(key)
      if (this.#running.has(key) || (failing && isTryingFailing)) continue
      this.#pending.delete(key)
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
