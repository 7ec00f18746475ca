/** Why a limiter refuses a run: too many wait already, or the wait took too long. */
export type LimiterRefusal = 'queue_full' | 'timeout'

export interface LimiterOptions {
  /** Maximum concurrent runs. */
  readonly maxRunning?: number
  /** Maximum concurrent runs of one key; 1 makes the limiter a mutex per key. */
  readonly maxRunningPerKey?: number
  /** Maximum runs that begin within any one second. */
  readonly maxStartsPerSecond?: number
  /** Maximum waiting runs. */
  readonly maxWaiting?: number
  /** Maximum waiting runs of one key, so that one caller cannot fill the queue. */
  readonly maxWaitingPerKey?: number
  /** Maximum wait of a run until it begins, in milliseconds. */
  readonly maxWaitMs?: number
  /** Makes the error of a run that is refused. */
  readonly refuse: (key: string, refusal: LimiterRefusal) => Error
  /** Monotonic clock of the rate, in milliseconds. */
  readonly nowMs?: () => number
}

interface Waiter {
  readonly key: string
  start(): void
}

/** Limits concurrent work, of all keys and of each. The queue is first come, first served. */
export class Limiter {
  readonly #options: LimiterOptions
  readonly #waiting = new Set<Waiter>()
  /** Number of runs by key, without zeros. */
  readonly #running = new Map<string, number>()
  #runningCount = 0
  /** Times of the last starts within the rate, the earliest first. */
  readonly #startsMs: number[] = []
  #rateTimer: NodeJS.Timeout | undefined

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  /** @throws what `refuse` makes when `work` may not begin, and whatever `work` throws */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#wait(key)
    try {
      return await work()
    } finally {
      this.#release(key)
    }
  }

  #wait(key: string): Promise<void> {
    const { maxWaitMs, refuse } = this.#options
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const waiter = {
        key,
        start() {
          clearTimeout(timer)
          resolve()
        },
      }
      this.#waiting.add(waiter)
      this.#startWaiting()
      if (!this.#waiting.has(waiter)) return
      if (this.#isQueueOver(key)) {
        this.#waiting.delete(waiter)
        reject(refuse(key, 'queue_full'))
      } else if (maxWaitMs !== undefined) {
        timer = setTimeout(() => {
          this.#waiting.delete(waiter)
          reject(refuse(key, 'timeout'))
        }, maxWaitMs)
      }
    })
  }

  #isQueueOver(key: string): boolean {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingPerKey } = this.#options
    if (this.#waiting.size > maxWaiting) return true
    if (maxWaitingPerKey === undefined) return false
    const ofKey = [...this.#waiting].filter((waiter) => waiter.key === key)
    return ofKey.length > maxWaitingPerKey
  }

  #release(key: string): void {
    const left = (this.#running.get(key) ?? 0) - 1
    if (left > 0) this.#running.set(key, left)
    else this.#running.delete(key)
    this.#runningCount -= 1
    this.#startWaiting()
  }

  /** Starts all that may run now. */
  #startWaiting(): void {
    const { maxRunning = Number.POSITIVE_INFINITY, maxRunningPerKey } = this.#options
    clearTimeout(this.#rateTimer)
    for (const waiter of this.#waiting) {
      if (this.#runningCount >= maxRunning) return
      const running = this.#running.get(waiter.key) ?? 0
      if (maxRunningPerKey !== undefined && running >= maxRunningPerKey) continue
      const waitMs = this.#rateWaitMs()
      if (waitMs > 0) {
        this.#rateTimer = setTimeout(() => this.#startWaiting(), waitMs)
        return
      }
      this.#waiting.delete(waiter)
      this.#running.set(waiter.key, running + 1)
      this.#runningCount += 1
      waiter.start()
    }
  }

  /** @returns 0 when a run may begin now, which is then counted as a start */
  #rateWaitMs(): number {
    const { maxStartsPerSecond, nowMs = () => performance.now() } = this.#options
    if (maxStartsPerSecond === undefined) return 0
    const now = nowMs()
    const nextMs = (this.#startsMs.at(-maxStartsPerSecond) ?? Number.NEGATIVE_INFINITY) + 1000
    if (nextMs > now) return nextMs - now
    this.#startsMs.push(now)
    if (this.#startsMs.length > maxStartsPerSecond) this.#startsMs.shift()
    return 0
  }
}
