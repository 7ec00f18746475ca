/** Longest that those which have waited go on in one turn of the event loop, in milliseconds. */
const sliceMs = 10

/**
 * Lets those that have waited for the same thing go on one after the other, and the event loop take in what has come
 * between: thousands at once would stop it for seconds. `EventLoopScheduler` is for long tasks, each with a turn of its own.
 */
export class ResumeQueue {
  readonly #waiting: (() => void)[] = []
  #isGoing = false

  /** Resolves when it is one's turn, which lasts until one waits for something else. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#isGoing) return
      this.#isGoing = true
      setImmediate(this.#begin)
    })
  }

  readonly #begin = (): void => this.#goOn(performance.now() + sliceMs)

  #goOn(until: number): void {
    const next = this.#waiting[0]
    if (next === undefined) {
      this.#isGoing = false
      return
    }
    if (performance.now() >= until) {
      setImmediate(this.#begin)
      return
    }
    this.#waiting.shift()
    next()
    // After all promises that it has settled: a tick alone would come before them.
    queueMicrotask(() => process.nextTick(() => this.#goOn(until)))
  }
}
