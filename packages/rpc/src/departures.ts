/** The trailer by which a server that drains says for how much longer it serves, in milliseconds. */
export const departureKey = 'svc-departs-in-ms'

/** Longest that a server may say, in milliseconds: the longest drain that can be set. */
const maxLeftMs = 3_600_000

/** Time by which a server may be later than it said: it finishes the calls that it has. */
const marginMs = 2000

/** The addresses of servers that are about to end, as long as they may still be there. */
export class Departures {
  readonly #addresses = new Set<string>()
  readonly #listeners = new Set<() => void>()

  /** @param leftMs as the server has it in its trailer */
  note(address: string, leftMs: string): void {
    const left = Number(leftMs)
    if (this.#addresses.has(address) || !(left >= 0 && left <= maxLeftMs)) return
    this.#addresses.add(address)
    setTimeout(() => {
      this.#addresses.delete(address)
      this.#tell()
    }, left + marginMs).unref()
    this.#tell()
  }

  has(address: string): boolean {
    return this.#addresses.has(address)
  }

  /** @param listener called when an address comes or goes; the same one is called once */
  addListener(listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeListener(listener: () => void): void {
    this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
