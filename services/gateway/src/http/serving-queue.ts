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
 * Time that refusals may take besides, in milliseconds, and how much of it comes back in each. Clients that heed
 * `Retry-After` come back together, and are answered at once; those that do not soon use it up.
 */
const refusalBurst = { maxMs: 300, perMs: 0.25 }

/**
 * Longest that nothing is served for new connections, in milliseconds: the event loop accepts one in each turn, and
 * 100 a second would be a wait of 20 s where thousands of clients come back at once.
 */
const acceptingMs = 10

/** Requests that may wait in any case: a few browsers that load a page at once are no overload. */
const minWaiting = 32

/**
 * The most that one is taken for in the first turn in which some wait, in milliseconds of the processor: the first
 * requests of a process take ten times as long as later ones. Each turn after it counts as it was.
 */
const maxFirstCostMs = 1

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
const maxWaitMs = 300

export interface ServingQueueOptions<T> {
  /** @param arrivedAt of one that has waited, by the clock of the loop */
  readonly serve: (one: T, arrivedAt?: number) => void
  /** Called as it arrives, or in a later turn. */
  readonly refuse: (one: T, arrivedAt: number) => void
  readonly loop?: LoopClock
}

interface Queued<T> {
  readonly one: T
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
  readonly #refused: Queued<T>[] = []
  #isInTurn = false
  #sliceEndsAt = 0
  /** Until when requests are refused as they arrive in any case; nothing before the first one. */
  #refusesUntil: number | undefined
  /** What is left of the burst, and when. */
  #burstMs = refusalBurst.maxMs
  #burstAt = 0
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

  constructor({ serve, refuse, loop = currentLoop }: ServingQueueOptions<T>) {
    this.#serve = serve
    this.#refuse = refuse
    this.#loop = loop
  }

  /** @returns whether it is served as it arrives, or in a later turn, or never */
  add(one: T, isRefusable: boolean): 'served' | 'waits' | 'refused' {
    const now = this.#now()
    if (this.#waiting.length === 0 && now < this.#sliceEndsAt) {
      this.#servedInTurn += 1
      this.#serve(one)
      return 'served'
    }
    this.#costMs ??= Math.min(this.#costOfTurn() ?? maxFirstCostMs, maxFirstCostMs)
    if (this.#waiting.length >= maxWaitingOfAll || (isRefusable && this.#isFull())) {
      this.refuse(one)
      return 'refused'
    }
    this.#waiting.push({ one, arrivedAt: now })
    return 'waits'
  }

  /** Refuses one, as it arrives or in a later turn. */
  refuse(one: T): void {
    const now = this.#now()
    this.#refusesUntil ??= now + refusingMs
    const queued = { one, arrivedAt: now }
    if (now < this.#refusesUntil || this.#burstAfter(now) > 0) this.#refuseNow(queued)
    else this.#refused.push(queued)
  }

  #refuseNow({ one, arrivedAt }: Queued<T>): void {
    const beganAt = this.#loop.now()
    this.#refuse(one, arrivedAt)
    this.#burstMs -= this.#loop.now() - beganAt
  }

  #burstAfter(now: number): number {
    const { maxMs, perMs } = refusalBurst
    this.#burstMs = Math.min(maxMs, this.#burstMs + perMs * (now - this.#burstAt))
    this.#burstAt = now
    return this.#burstMs
  }

  /** A connection was accepted: more may wait. */
  noteConnection(): void {
    this.#hasAccepted = true
  }

  /** In a turn, which begins if there is none. */
  #now(): number {
    const now = this.#loop.now()
    if (!this.#isInTurn) this.#beginTurn(now)
    return now
  }

  #isFull(): boolean {
    const { length } = this.#waiting
    if (length < minWaiting) return false
    return length >= maxWaiting || length * (this.#costMs ?? 0) >= maxWaitMs
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
    this.#noteCost()
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
      this.#refuseNow(next)
    }
  }

  #noteCost(): void {
    const latest = this.#costOfTurn()
    const before = this.#costMs
    if (latest !== undefined && before !== undefined) {
      this.#costMs = before + latestShare * (latest - before)
    }
  }

  /** @returns nothing of a turn in which none was served */
  #costOfTurn(): number | undefined {
    if (this.#servedInTurn === 0) return undefined
    return (this.#loop.cpu() - this.#turnCpu) / this.#servedInTurn
  }

  readonly #serveNext = (): void => {
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#servedInTurn += 1
    this.#serve(next.one, next.arrivedAt)
    this.#loop.afterCallback(this.#goOn)
  }

  readonly #goOn = (): void => {
    if (this.#loop.now() < this.#sliceEndsAt) this.#serveNext()
  }
}
