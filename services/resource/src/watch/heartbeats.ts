import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchResponse } from '@svc/proto/resource/v1/watch'

/** What tells a watcher that the stream is sound, whatever becomes of the database meanwhile. */
export class Heartbeats {
  readonly #intervalMs: number
  readonly #age: () => number
  #dueAt: number

  /** @param age how long ago the database was last read, in milliseconds */
  constructor(intervalMs: number, age: () => number) {
    this.#intervalMs = intervalMs
    this.#age = age
    this.#dueAt = performance.now() + intervalMs
  }

  get untilDueMs(): number {
    return Math.max(this.#dueAt - performance.now(), 0)
  }

  /** One if it is time, else none. */
  *whenDue(): Generator<WatchResponse, void> {
    if (this.untilDueMs > 0) return
    this.#dueAt = performance.now() + this.#intervalMs
    yield { heartbeat: { ageMs: Math.round(this.#age()) } }
  }

  /** Those that are due until `work` is done. @returns what `work` gives */
  async *during<T>(work: Promise<T>): AsyncGenerator<WatchResponse, T> {
    const done = work.then((value) => ({ value }))
    for (;;) {
      const waiting = new AbortController()
      const { signal } = waiting
      const pause = sleep(this.untilDueMs, undefined, { signal }).catch(() => undefined)
      const result = await Promise.race([done, pause]).finally(() => waiting.abort())
      if (result !== undefined) return result.value
      yield* this.whenDue()
    }
  }
}
