/**
 * Longest slice of a long task, in milliseconds. Evaluations wait that long at most, however many long
 * tasks there are at once.
 */
const sliceMs = 1

/** Cooperative scheduler: long tasks run in slices, one at a time, with I/O between any two. */
export class EventLoopScheduler {
  readonly #waiting: (() => void)[] = []
  #sliceEndsAt = 0

  /** Waits for a slice, which then is the caller's until its next `await`. */
  yield(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) setImmediate(() => this.#startSlice())
    })
  }

  /** Whether the slice is used up: the task has to `yield`. */
  get shouldYield(): boolean {
    return performance.now() >= this.#sliceEndsAt
  }

  /** Runs all steps of a task, in as many slices as they take. */
  async runInSlices(steps: Iterable<unknown>): Promise<void> {
    for (const _ of steps) if (this.shouldYield) await this.yield()
  }

  #startSlice(): void {
    const resolve = this.#waiting.shift()
    if (this.#waiting.length > 0) setImmediate(() => this.#startSlice())
    this.#sliceEndsAt = performance.now() + sliceMs
    resolve?.()
  }
}
