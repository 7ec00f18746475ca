interface Waiter {
  readonly revision: number
  wake(isHere: boolean): void
}

/**
 * Those who wait for a revision of a namespace. Each is a request, of which there is a limited number,
 * and waits a limited time.
 */
export class Waiting {
  readonly #waiters = new Map<string, Set<Waiter>>()

  /** @returns whether the revision was announced before `timeoutMs` went by */
  wait(namespaceKey: string, revision: number, timeoutMs: number): Promise<boolean> {
    const waiters = this.#waiters.get(namespaceKey) ?? new Set()
    this.#waiters.set(namespaceKey, waiters)
    return new Promise((resolve) => {
      const waiter = {
        revision,
        wake: (isHere: boolean) => {
          clearTimeout(timer)
          waiters.delete(waiter)
          if (waiters.size === 0) this.#waiters.delete(namespaceKey)
          resolve(isHere)
        },
      }
      const timer = setTimeout(() => waiter.wake(false), timeoutMs)
      waiters.add(waiter)
    })
  }

  /** Wakes those who wait for this revision or an earlier one. */
  resolve(namespaceKey: string, revision: number): void {
    for (const waiter of [...(this.#waiters.get(namespaceKey) ?? [])]) {
      if (waiter.revision <= revision) waiter.wake(true)
    }
  }
}
