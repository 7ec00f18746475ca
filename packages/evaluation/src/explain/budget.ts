/** Maximum bytes of the JSON of an explanation: what a page can still draw. */
export const maxExplanationBytes = 4 * 2 ** 20

/** Bytes for what is added at the end: notes about the flag, and brackets. */
const reservedBytes = 2048

/** What is on the way to the answer would take more than {@link maxExplanationBytes}. */
export class ExplanationTooLongError extends Error {
  override readonly name = 'ExplanationTooLongError'
}

const encoder = new TextEncoder()

/** Counts the bytes of an explanation as it is made: one that is too long is never made in full. */
export class Budget {
  #leftBytes = maxExplanationBytes - reservedBytes

  /**
   * Counts an item of a list, or an object.
   *
   * @returns its bytes as JSON, with a comma
   * @throws {ExplanationTooLongError}
   */
  take(part: object): number {
    return this.takeBytes(encoder.encode(JSON.stringify(part)).length + 1)
  }

  /** @throws {ExplanationTooLongError} */
  takeBytes(bytes: number): number {
    this.#leftBytes -= bytes
    if (this.#leftBytes < 0) throw new ExplanationTooLongError('the explanation is too long')
    return bytes
  }
}
