interface Waiter {
  readonly revision: number
  settle(isReached: boolean): void
}

/** Requests that wait for a revision of a namespace, each for a limited time. */
export class RevisionWaiters {
  readonly #waiters = new Map<string, Set<Waiter>>()

  /** @returns whether the revision was announced before `timeoutMs` went by */
  wait(namespaceKey: string, revision: number, timeoutMs: number): Promise<boolean> {
    const waiters = this.#waiters.get(namespaceKey) ?? new Set()
    this.#waiters.set(namespaceKey, waiters)
    return new Promise((resolve) => {
      const waiter = {
        revision,
        settle: (isReached: boolean) => {
          clearTimeout(timer)
          waiters.delete(waiter)
          if (waiters.size === 0) this.#waiters.delete(namespaceKey)
          resolve(isReached)
        },
      }
      const timer = setTimeout(() => waiter.settle(false), timeoutMs)
      waiters.add(waiter)
    })
  }

  /** Ends the waits for this revision and earlier ones. */
  announce(namespaceKey: string, revision: number): void {
    for (const waiter of [...(this.#waiters.get(namespaceKey) ?? [])]) {
      if (waiter.revision <= revision) waiter.settle(true)
    }
  }
}
