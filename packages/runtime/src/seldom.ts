/** Long enough for those who read the log, however often a thing happens that others bring about. */
const intervalMs = 60_000

/** Lets things of each kind be told once a minute. The kinds have to be few. */
export class Seldom {
  readonly #toldAt = new Map<string, number>()

  /** @returns whether to tell of it now, which is then taken to be done */
  isDue(kind: string): boolean {
    const now = performance.now()
    if (now - (this.#toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) < intervalMs) return false
    this.#toldAt.set(kind, now)
    return true
  }
}
