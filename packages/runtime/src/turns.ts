/** Longest that those which have waited go on in one turn of the event loop, in milliseconds. */
const sliceMs = 10

/**
 * Lets those that have waited for the same thing go on one after the other, and the event loop take in what has come
 * between: thousands at once would stop it for seconds.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Resolves when it is one's turn. Each is followed by the next as soon as its promises let it. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#begin)
    })
  }

  readonly #begin = (): void => this.#goOn(performance.now() + sliceMs)

  #goOn(until: number): void {
    const next = this.#waiting[0]
    if (next === undefined) return
    if (performance.now() >= until) {
      setImmediate(this.#begin)
      return
    }
    this.#waiting.shift()
    next()
    queueMicrotask(() => this.#goOn(until))
  }
}
