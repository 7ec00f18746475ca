import { unref } from './timers.ts'

/** An exchange with the server that ends when the server is silent for too long. */
export class Transfer {
  readonly #abort = new AbortController()
  readonly #maxSilenceMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #aliveAt = performance.now()
  #hasArrived = false
  #isSilent = false

  constructor(maxSilenceMs: number) {
    this.#maxSilenceMs = maxSilenceMs
    this.#check(maxSilenceMs)
  }

  /** Ends what is under way. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** When the server last sent something, by `performance.now()`; at first, when this began. */
  get aliveAt(): number {
    return this.#aliveAt
  }

  /** Whether anything has come. */
  get hasArrived(): boolean {
    return this.#hasArrived
  }

  /** Whether it was ended because nothing came. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Notes that something has come. */
  touch(): void {
    this.#hasArrived = true
    this.#aliveAt = performance.now()
  }

  /** Ends it, whatever is under way. */
  end(): void {
    clearTimeout(this.#timer)
    this.#abort.abort()
  }

  #check(inMs: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#aliveAt + this.#maxSilenceMs - performance.now()
      if (leftMs > 0) return this.#check(leftMs)
      this.#isSilent = true
      this.#abort.abort()
    }, inMs)
    unref(this.#timer)
  }
}
