import { unavailable } from '@svc/runtime'

/** With the change itself, for which two seconds are allowed, it has to fit into a caller's deadline. */
const maxWaitMs = 1500

/** As many as find a place in that time, if a change takes some milliseconds. */
const maxWaiting = 400

/**
 * Lets those who want the same thing have it one after the other, in the order in which they came.
 *
 * Postgres would do so as well, but there each of them would wait with a connection in its hands:
 * one busy namespace would take them all, from reads and from everybody else.
 */
export class Turns {
  /** Who waits for what is taken. */
  readonly #queues = new Map<string, (() => void)[]>()

  /** @throws {AppError} `unavailable` when the turn did not come in time, and whatever `work` throws */
  async withTurn<T>(thing: string, work: () => Promise<T>): Promise<T> {
    await this.#take(thing)
    try {
      return await work()
    } finally {
      this.#pass(thing)
    }
  }

  #take(thing: string): Promise<void> {
    const queue = this.#queues.get(thing)
    if (queue === undefined) {
      this.#queues.set(thing, [])
      return Promise.resolve()
    }
    const tooMany = unavailable(`too many changes to namespace "${thing}" at once, try again`)
    if (queue.length >= maxWaiting) return Promise.reject(tooMany)
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1)
        reject(tooMany)
      }, maxWaitMs)
      queue.push(go)
    })
  }

  #pass(thing: string): void {
    const next = this.#queues.get(thing)?.shift()
    if (next === undefined) this.#queues.delete(thing)
    else next()
  }
}
