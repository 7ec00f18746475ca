import type { WatchResponse } from '@svc/proto/resource/v1/watch'

/** Heartbeats of one stream: each says that it is alive, and the age of what was sent. */
export class Heartbeats {
  readonly #intervalMs: number
  #dueAt: number

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
    this.#dueAt = performance.now() + intervalMs
  }

  get untilDueMs(): number {
    return Math.max(this.#dueAt - performance.now(), 0)
  }

  /** @param completeAt when all that was committed had been sent, by `performance.now()` */
  beat(completeAt: number): WatchResponse {
    const now = performance.now()
    this.#dueAt = now + this.#intervalMs
    return { heartbeat: { ageMs: Math.ceil(now - completeAt) } }
  }
}
