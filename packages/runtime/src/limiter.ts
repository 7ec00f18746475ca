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
}

interface Waiter {
  readonly key: string
  readonly start: () => void
}

const unlimited = Number.POSITIVE_INFINITY

/** Limits concurrent work, of all keys and of each. The queue is first come, first served. */
export class Limiter {
  readonly #options: LimiterOptions
  readonly #waiting = new Set<Waiter>()
  /** Number of runs by key, without zeros. */
  readonly #running = new Map<string, number>()
  #runningCount = 0
  /** Number of runs that began within the last second. */
  #recentStarts = 0

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  /** @throws what `refuse` makes when `work` may not begin, and whatever `work` throws */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const end = await this.begin(key)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /**
   * Begins a run that is no function, such as a generator.
   *
   * @returns what ends it, to be called once
   * @throws what `refuse` makes when it may not begin
   */
  async begin(key: string): Promise<() => void> {
    await this.#wait(key)
    return () => this.#release(key)
  }

  async #wait(key: string): Promise<void> {
    const { maxWaitMs, refuse } = this.#options
    const { promise, resolve: start, reject } = Promise.withResolvers<void>()
    const waiter = { key, start }
    this.#waiting.add(waiter)
    this.#startWaiting()
    if (!this.#waiting.has(waiter)) return
    const leave = (refusal: LimiterRefusal) => {
      this.#waiting.delete(waiter)
      reject(refuse(key, refusal))
    }
    if (this.#isQueueOver(key)) leave('queue_full')
    const timer = maxWaitMs === undefined ? undefined : setTimeout(leave, maxWaitMs, 'timeout')
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #isQueueOver(key: string): boolean {
    const { maxWaiting = unlimited, maxWaitingPerKey } = this.#options
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
    const { maxRunning = unlimited, maxRunningPerKey = unlimited } = this.#options
    const { maxStartsPerSecond = unlimited } = this.#options
    for (const waiter of this.#waiting) {
      if (this.#runningCount >= maxRunning || this.#recentStarts >= maxStartsPerSecond) return
      const running = this.#running.get(waiter.key) ?? 0
      if (running >= maxRunningPerKey) continue
      this.#waiting.delete(waiter)
      this.#running.set(waiter.key, running + 1)
      this.#runningCount += 1
      if (maxStartsPerSecond < unlimited) this.#countStart()
      waiter.start()
    }
  }

  #countStart(): void {
    this.#recentStarts += 1
    setTimeout(() => {
      this.#recentStarts -= 1
      this.#startWaiting()
    }, 1000).unref()
  }
}
