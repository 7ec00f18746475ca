import { AppError, unavailable } from '@svc/runtime'

/** What the API server is asked at once, and in any one second; it serves the whole cluster. */
const maxRunning = 10
const maxPerSecond = 20

/** Those who get a turn before they have waited too long, when each review is quick. */
const maxWaiting = 30

/** So that nobody can take the turns of all others by asking without end. */
const maxWaitingPerCaller = 10

interface Waiting {
  readonly caller: string
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
   * @param caller the address of whoever asks, so that all of them have their share
   * @param signal aborts waiting; the work has to look at it itself
   * @throws {AppError} `resource_exhausted` when too many wait already, `unavailable` when the turn
   *   does not come in time
   */
  async run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const own = [...this.#waiting].filter((waiting) => waiting.caller === caller)
    if (this.#waiting.size >= maxWaiting || own.length >= maxWaitingPerCaller) throw tooMany()
    await this.#turn(caller, signal)
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#beginNext()
    }
  }

  #turn(caller: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        reject(unverifiable())
      }
      const waiting = {
        caller,
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
