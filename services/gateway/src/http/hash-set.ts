/** A power of two, eight times as many as there are to be told apart. */
const slots = 16_384

/** Seed of the hash, odd and random per process, so that a caller cannot choose texts that collide. */
const factor = (Math.floor(Math.random() * 2 ** 30) << 1) | 1

/** A set of texts by their hashes alone, so that two different ones may count as one. */
export class HashSet {
  /** For each hash the round in which it was added: to clear all of them is to begin a new round. */
  readonly #addedIn = new Uint32Array(slots)
  #round = 1

  clear(): void {
    this.#round++
    if (this.#round < 2 ** 32) return
    this.#addedIn.fill(0)
    this.#round = 1
  }

  /** @returns whether it was not there yet */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    let hash = end - start
    for (let i = start; i < end; i++) hash = (Math.imul(hash, factor) + (bytes[i] ?? 0)) | 0
    const slot = (hash ^ (hash >>> 16)) & (slots - 1)
    if (this.#addedIn[slot] === this.#round) return false
    this.#addedIn[slot] = this.#round
    return true
  }
}
