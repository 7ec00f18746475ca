import { currentLoop, type LoopClock } from './loop-clock.ts'

/**
 * Longest that what waits is served in one turn of the event loop, in milliseconds. Then the loop takes in what has
 * arrived: probes, timers, and answers of other services.
 */
const sliceMs = 10

/**
 * Longest that requests are refused as they arrive, from the first one on, and then again before a slice, in milliseconds.
 * The connections of the others have nothing to read until their turn: clients that try again at once cannot
 * take up all of the loop.
 */
const refusingMs = 10

/**
 * Longest that nothing is served for new connections, in milliseconds: the event loop accepts one in each turn, and
 * 100 a second would be a wait of 20 s where thousands of clients come back at once.
 */
const acceptingMs = 10

/** Requests that may wait in any case: a few browsers that load a page at once are no overload. */
const minWaiting = 32

/** Time without a refusal after which there may be a burst again, in milliseconds. */
export const restMs = 2000

/** What the last turn counts in the average, against those before. */
const latestShare = 0.2

/** Maximum requests that wait, of those that can be refused: each may hold some 64 KiB of a body. */
const maxWaiting = 1000

/** The same of all: where small requests come faster than they are served, their number has to end. */
export const maxWaitingOfAll = 10_000

/**
 * Processor time that those which wait may take before a further one is refused, in milliseconds. Not time: a loop that
 * waits for the processor is slow, and not overloaded.
 */
export interface WaitLimit {
  /** Of all that wait. */
  readonly burstMs: number
  /** Of those that wait and may be refused, from a refusal on until there was none for a while. */
  readonly standingMs: number
}

export interface ServingQueueOptions<T> {
  /** @param arrivedAt of one that has waited, by the clock of the loop */
  readonly serve: (one: T, arrivedAt?: number) => void
  /** Called as it arrives, or in a later turn. */
  readonly refuse: (one: T, arrivedAt: number) => void
  readonly loop?: LoopClock
}

interface Queued<T> {
  readonly one: T
  readonly isRefusable: boolean
  readonly arrivedAt: number
}

/**
 * Requests that have arrived and not been served, in their order. While there is time in a turn of the event loop, one
 * is served as it arrives. Without the queue a turn would serve all that has arrived meanwhile, the next one had more,
 * and timers and new connections waited for seconds.
 */
export class ServingQueue<T> {
  readonly #serve: ServingQueueOptions<T>['serve']
  readonly #refuse: ServingQueueOptions<T>['refuse']
  readonly #loop: LoopClock
  readonly #waiting: Queued<T>[] = []
  /** How many of them might have been refused. */
  #refusable = 0
  readonly #refused: Queued<T>[] = []
  #isInTurn = false
  #sliceEndsAt = 0
  /** Until when requests are refused as they arrive; nothing before the first one. */
  #refusesUntil: number | undefined
  /** Whether a connection was accepted since the last turn ended. */
  #hasAccepted = false
  /** Until when turns may serve nothing; nothing before the first one that did not. */
  #acceptsUntil: number | undefined
  /** Processor time when this turn began. */
  #turnCpu = 0
  /** Requests that were served in this turn. */
  #servedInTurn = 0
  /** Processor time for one that is served, with all else that runs; nothing while none waits. */
  #costMs: number | undefined
  #refusedAt = Number.NEGATIVE_INFINITY

  constructor({ serve, refuse, loop = currentLoop }: ServingQueueOptions<T>) {
    this.#serve = serve
    this.#refuse = refuse
    this.#loop = loop
  }

  /**
   * @param limit none for one that is never refused
   * @returns whether it is served, now or in a later turn
   */
  add(one: T, limit: WaitLimit | undefined): boolean {
    const now = this.#loop.now()
    if (!this.#isInTurn) this.#beginTurn(now)
    if (this.#waiting.length === 0 && now < this.#sliceEndsAt) {
      this.#servedInTurn += 1
      this.#serve(one)
      return true
    }
    this.#costMs ??= this.#costOfTurn()
    const isRefusable = limit !== undefined
    const queued = { one, isRefusable, arrivedAt: now }
    if (this.#waiting.length >= maxWaitingOfAll || (isRefusable && this.#exceeds(limit, now))) {
      this.#refusedAt = now
      this.#refusesUntil ??= now + refusingMs
      if (now < this.#refusesUntil) this.#refuse(one, now)
      else this.#refused.push(queued)
      return false
    }
    if (isRefusable) this.#refusable += 1
    this.#waiting.push(queued)
    return true
  }

  /** A connection was accepted: more may wait. */
  noteConnection(): void {
    this.#hasAccepted = true
  }

  #exceeds({ burstMs, standingMs }: WaitLimit, now: number): boolean {
    const { length } = this.#waiting
    const costMs = this.#costMs ?? 0
    if (length < minWaiting) return false
    if (length >= maxWaiting || length * costMs >= burstMs) return true
    // Those that are never refused may always be many: they are no reason to refuse others for ever.
    return now - this.#refusedAt < restMs && this.#refusable * costMs >= standingMs
  }

  #beginTurn(now: number): void {
    this.#isInTurn = true
    this.#sliceEndsAt = now + sliceMs
    this.#turnCpu = this.#loop.cpu()
    this.#servedInTurn = 0
    this.#refusesUntil = undefined
    this.#acceptsUntil = undefined
    this.#loop.afterTurn(this.#endTurn)
  }

  /** Whether the event loop goes round first, without anything served. */
  #isAccepting(): boolean {
    if (!this.#hasAccepted) return false
    this.#hasAccepted = false
    const now = this.#loop.now()
    this.#acceptsUntil ??= now + acceptingMs
    return now < this.#acceptsUntil
  }

  readonly #endTurn = (): void => {
    if (this.#waiting.length === 0 && this.#refused.length === 0) {
      this.#isInTurn = false
      this.#costMs = undefined
      return
    }
    if (this.#isAccepting()) {
      this.#loop.afterTurn(this.#endTurn)
      return
    }
    const latest = this.#costOfTurn()
    const before = this.#costMs ?? latest
    this.#costMs = before + latestShare * (latest - before)
    this.#beginTurn(this.#loop.now())
    this.#refuseRest()
    this.#sliceEndsAt = this.#loop.now() + sliceMs
    this.#serveNext()
  }

  #refuseRest(): void {
    const until = this.#loop.now() + refusingMs
    while (this.#loop.now() < until) {
      const next = this.#refused.shift()
      if (next === undefined) return
      this.#refuse(next.one, next.arrivedAt)
    }
  }

  #costOfTurn(): number {
    return (this.#loop.cpu() - this.#turnCpu) / Math.max(1, this.#servedInTurn)
  }

  readonly #serveNext = (): void => {
    const next = this.#waiting.shift()
    if (next === undefined) return
    if (next.isRefusable) this.#refusable -= 1
    this.#servedInTurn += 1
    this.#serve(next.one, next.arrivedAt)
    this.#loop.afterCallback(this.#goOn)
  }

  readonly #goOn = (): void => {
    if (this.#loop.now() < this.#sliceEndsAt) this.#serveNext()
  }
}
