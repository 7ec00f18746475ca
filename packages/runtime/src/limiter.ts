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

const unlimited = Number.POSITIVE_INFINITY

/** Limits concurrent work, of all keys and of each. Keys take turns; of one key, what came first is served first. */
export class Limiter {
  readonly #options: LimiterOptions
  /** What starts each waiting run, by key, without empty sets. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #waitingCount = 0
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
    // Of those that wait none may begin, so this one is before none that may.
    if (this.#hasRoom(key)) {
      this.#noteStart(key)
      return
    }
    const { maxWaitMs, refuse } = this.#options
    const { promise, resolve: start, reject } = Promise.withResolvers<void>()
    this.#queue(key, start)
    const leave = (refusal: LimiterRefusal) => {
      this.#unqueue(key, start)
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

  #queue(key: string, start: () => void): void {
    const ofKey = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, ofKey.add(start))
    this.#waitingCount += 1
  }

  /** The key has its next turn after the others. */
  #unqueue(key: string, start: () => void): void {
    const ofKey = this.#waiting.get(key)
    if (ofKey?.delete(start) !== true) return
    this.#waitingCount -= 1
    this.#waiting.delete(key)
    if (ofKey.size > 0) this.#waiting.set(key, ofKey)
  }

  #isQueueOver(key: string): boolean {
    const { maxWaiting = unlimited, maxWaitingPerKey = unlimited } = this.#options
    const ofKey = this.#waiting.get(key)?.size ?? 0
    return this.#waitingCount > maxWaiting || ofKey > maxWaitingPerKey
  }

  #release(key: string): void {
    const left = (this.#running.get(key) ?? 0) - 1
    if (left > 0) this.#running.set(key, left)
    else this.#running.delete(key)
    this.#runningCount -= 1
    this.#startNext()
  }

  /** Starts the first that may begin now: as there is room for one more, it is the only one. */
  #startNext(): void {
    for (const [key, [start]] of this.#waiting) {
      if (start === undefined || !this.#hasRoom(key)) continue
      this.#unqueue(key, start)
      this.#noteStart(key)
      start()
      return
    }
  }

  #hasRoom(key: string): boolean {
    const { maxRunning = unlimited, maxRunningPerKey = unlimited } = this.#options
    const { maxStartsPerSecond = unlimited } = this.#options
    return (
      this.#runningCount < maxRunning &&
      this.#recentStarts < maxStartsPerSecond &&
      (this.#running.get(key) ?? 0) < maxRunningPerKey
    )
  }

  #noteStart(key: string): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
    this.#runningCount += 1
    if (this.#options.maxStartsPerSecond === undefined) return
    this.#recentStarts += 1
    setTimeout(() => {
      this.#recentStarts -= 1
      this.#startNext()
    }, 1000).unref()
  }
}
