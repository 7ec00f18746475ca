import { currentLoop, type LoopClock } from '../../http/loop-clock.ts'

/** How many fast evaluations there are between two looks at the clock. A look takes a third of an evaluation. */
const uncheckedAtOnce = 8

type Clock = Pick<LoopClock, 'cpu' | 'now'>

/** By which a thread that waits for the processor is busy, too. */
export const wallClock: Clock = { now: currentLoop.now, cpu: currentLoop.now }

/**
 * Limits the evaluations of one answer in one turn of the event loop: meanwhile no other request is answered,
 * and no probe. What counts is processor time: on a machine that is busy with something else an answer takes
 * longer, and is no larger.
 */
export class TurnLimit {
  readonly #maxMs: number
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #cpuBefore: number
  #unchecked = 0

  constructor(maxMs: number, clock: Clock = currentLoop) {
    this.#maxMs = maxMs
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#cpuBefore = clock.cpu()
  }

  /** Whether they have taken too long. To be called after each evaluation. */
  isOver(): boolean {
    if (--this.#unchecked > 0) return false
    const ms = this.#clock.now() - this.#startedAt
    this.#unchecked = ms * uncheckedAtOnce < this.#maxMs ? uncheckedAtOnce : 1
    return ms >= this.#maxMs && this.#clock.cpu() - this.#cpuBefore >= this.#maxMs
  }
}
