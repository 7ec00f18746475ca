import { type AppError, unavailable } from '@svc/runtime'

/** Queue limit per namespace and process: as many changes as fit into the wait, at 25 ms each. */
const maxWaiting = 400

/** A write that did not get its turn: nothing was changed, so a caller may repeat it. */
export function tooManyChanges(namespaceKey: string): AppError {
  return unavailable(`too many changes to namespace "${namespaceKey}" at once, try again`)
}

/**
 * Lets those who want the same thing have it one after the other, in the order in which they came.
 *
 * Postgres would do so as well, but there each of them would wait with a connection in its hands:
 * one busy namespace would take them all, from reads and from everybody else.
 */
export class Turns {
  /** Who waits for what is taken. */
  readonly #queues = new Map<string, (() => void)[]>()

  /**
   * @param deadline until when to wait for the turn, on the clock of `performance.now()`
   * @throws {AppError} `unavailable` when the turn did not come in time, and whatever `work` throws
   */
  async withTurn<T>(thing: string, deadline: number, work: () => Promise<T>): Promise<T> {
    await this.#take(thing, deadline)
    try {
      return await work()
    } finally {
      this.#pass(thing)
    }
  }

  #take(thing: string, deadline: number): Promise<void> {
    const queue = this.#queues.get(thing)
    if (queue === undefined) {
      this.#queues.set(thing, [])
      return Promise.resolve()
    }
    if (queue.length >= maxWaiting) return Promise.reject(tooManyChanges(thing))
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1)
        reject(tooManyChanges(thing))
      }, deadline - performance.now())
      queue.push(go)
    })
  }

  #pass(thing: string): void {
    const next = this.#queues.get(thing)?.shift()
    if (next === undefined) this.#queues.delete(thing)
    else next()
  }
}
