import { AppError, unavailable } from '@svc/runtime'

/** What the API server is asked at once, and in any one second; it serves the whole cluster. */
const maxRunning = 10
const maxPerSecond = 20

/** Those who get a turn before they have waited too long, when each review is quick. */
const maxWaiting = 30

interface Waiting {
  begin(): void
}

/** Gives out turns to ask the API server, first come, first served. */
export class ReviewTurns {
  readonly #waiting = new Set<Waiting>()
  /** When the last ones began, the earliest first. */
  readonly #began: number[] = []
  #running = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param signal aborts waiting; the work has to look at it itself
   * @throws {AppError} `resource_exhausted` when too many wait already, `unavailable` when the turn
   *   does not come in time
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.size >= maxWaiting) throw tooMany()
    await this.#turn(signal)
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#beginNext()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        reject(unverifiable())
      }
      const waiting = {
        begin() {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
      this.#beginNext()
    })
  }

  #beginNext(): void {
    clearTimeout(this.#timer)
    for (const waiting of this.#waiting) {
      if (this.#running >= maxRunning) return
      const now = performance.now()
      const waitMs = (this.#began.at(-maxPerSecond) ?? Number.NEGATIVE_INFINITY) + 1000 - now
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#beginNext(), waitMs)
        return
      }
      this.#began.push(now)
      if (this.#began.length > maxPerSecond) this.#began.shift()
      this.#waiting.delete(waiting)
      this.#running += 1
      waiting.begin()
    }
  }
}

function tooMany(): AppError {
  const message = 'too many service accounts log in, try again in a second'
  return new AppError('resource_exhausted', 'too_many_reviews', message)
}

/** Nobody can tell at present whose the token is. */
export function unverifiable(): AppError {
  return unavailable('service accounts cannot be verified at present, try again')
}
