/** Waits between looks for the server, in milliseconds: one for each round, the last one again and again. */
const waitsMs = [1000, 2000, 4000, 8000, 15_000] as const
/** How long there must be no break until the next one is the first again, in milliseconds. */
const calmMs = 30_000
/** The most that `Retry-After` is heeded, in milliseconds. */
const maxHoldMs = 60_000

/**
 * How long a page waits for a server that does not answer, or that refuses with 503. A short return does not end it: a
 * gateway that sheds load answers now and then. Times are in milliseconds, of one clock.
 */
export class BackOff {
  #round = 0
  #isBroken = false
  #brokenAt = Number.NEGATIVE_INFINITY
  #returnedAt = Number.NEGATIVE_INFINITY
  #heldUntil = Number.NEGATIVE_INFINITY

  get #roundMs(): number {
    return waitsMs[this.#round] ?? 0
  }

  noteBreak(now: number): void {
    const isCalm = now - this.#returnedAt >= calmMs
    // Answers to what was asked together are one break.
    const isOfLast = now - this.#brokenAt < this.#roundMs
    this.#isBroken = true
    if (!isCalm && isOfLast) return
    if (isCalm) this.#round = 0
    else this.raise()
    this.#brokenAt = now
  }

  noteReturn(now: number): void {
    this.#isBroken = false
    this.#returnedAt = now
  }

  /** There was an answer 503. @param retryAfter its header, of which dates are not read */
  noteRefused(now: number, retryAfter: string | null): void {
    const askedMs = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0
    const holdMs = Math.min(Math.max(askedMs, this.#roundMs), maxHoldMs)
    this.#heldUntil = Math.max(this.#heldUntil, now + holdMs)
  }

  /** A look was in vain. */
  raise(): void {
    this.#round = Math.min(this.#round + 1, waitsMs.length - 1)
  }

  /** Whether breaks follow each other, so that nothing is tried again by itself. */
  isRaised(now: number): boolean {
    return this.#round > 0 && (this.#isBroken || now - this.#returnedAt < calmMs)
  }

  /** How long what was refused is not asked again. */
  holdMs(now: number): number {
    return Math.max(0, this.#heldUntil - now)
  }

  /**
   * Until the next look. Pages that lost the server together do not come back together.
   *
   * @param random at least 0, and less than 1
   */
  waitMs(now: number, random: number): number {
    return Math.max(this.#roundMs * (0.75 + random / 2), this.holdMs(now) * (1 + random / 4))
  }
}

/** That of this page. */
export const backOff = new BackOff()
