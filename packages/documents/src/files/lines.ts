/** Finds the line and column of a place in a text. */
export class Lines {
  readonly #starts = [0]

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
      this.#starts.push(at + 1)
    }
  }

  /** @returns both from 1 */
  placeOf(offset: number): { readonly line: number; readonly column: number } {
    let [low, high] = [0, this.#starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 }
  }
}
