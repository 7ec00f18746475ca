import { SvcError } from './api/error.ts'
import { maxTimeoutMs } from './timers.ts'

const defaultTimeoutMs = 5000

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: SvcError) => void
}

/** Callers that wait for a revision of a namespace. Each waits for a limited time. */
export class Waiters {
  readonly #namespace: string
  readonly #waiters = new Set<Waiter>()
  #isClosed = false

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  /** The largest revision that is waited for; 0 when none is. */
  get wanted(): number {
    let wanted = 0
    for (const { revision } of this.#waiters) wanted = Math.max(wanted, revision)
    return wanted
  }

  /**
   * @param text as `X-Svc-Revision` has it, such as `shop:42`
   * @throws {SvcError} code 3
   */
  read(text: string): number {
    const [, key, digits] = /^(.*):(\d{1,15})$/.exec(String(text)) ?? []
    if (key === this.#namespace) return Number(digits)
    const message = `"${text}" is no revision of namespace "${this.#namespace}", such as "${this.#namespace}:42"`
    throw new SvcError(message, { status: 0, code: 3 })
  }

  /** @throws {SvcError} code 4 when it does not come in time, 1 when it is closed */
  wait(revision: number, timeoutMs: number = defaultTimeoutMs): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(this.#closed(revision))
      const end = () => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
      }
      const waiter = {
        revision,
        resolve() {
          end()
          resolve()
        },
        reject(error: SvcError) {
          end()
          reject(error)
        },
      }
      const timer = setTimeout(
        () => {
          const message = `revision ${this.#nameOf(revision)} has not come within ${timeoutMs} ms`
          waiter.reject(new SvcError(message, { status: 0, code: 4 }))
        },
        Math.min(timeoutMs, maxTimeoutMs),
      )
      this.#waiters.add(waiter)
    })
  }

  /** Rejects those that wait, and those that come later. */
  close(): void {
    this.#isClosed = true
    for (const waiter of [...this.#waiters]) waiter.reject(this.#closed(waiter.revision))
  }

  /** Resolves those that wait for this revision or an earlier one. */
  reach(revision: number): void {
    for (const waiter of [...this.#waiters]) if (waiter.revision <= revision) waiter.resolve()
  }

  #nameOf(revision: number): string {
    return `${this.#namespace}:${revision}`
  }

  #closed(revision: number): SvcError {
    const message = `revision ${this.#nameOf(revision)} is not waited for: the flags have been closed`
    return new SvcError(message, { status: 0, code: 1 })
  }
}
