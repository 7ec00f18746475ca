/**
 * How long one of the long works goes on at a time, in milliseconds. Evaluations wait that long at
 * most, however many there are at once.
 */
const turnMs = 5

/** Shares the event loop between long works and everything else: one of them has a turn, then I/O. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #endsAt = 0

  /** Waits for a turn, which then is the caller's until the next `await`. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) setImmediate(() => this.#give())
    })
  }

  /** Whether the turn has lasted long enough: wait for the next one. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Takes the steps of a work as far as they go in a turn, then in the next one. */
  async take(steps: Iterable<unknown>): Promise<void> {
    for (const _ of steps) if (this.isOver) await this.next()
  }

  #give(): void {
    const resolve = this.#waiting.shift()
    if (this.#waiting.length > 0) setImmediate(() => this.#give())
    this.#endsAt = performance.now() + turnMs
    resolve?.()
  }
}
