/** Trailer of a draining server: for how much longer it serves, in milliseconds. */
export const departureKey = 'svc-departs-in-ms'

/** Maximum value of the trailer, in milliseconds: the longest drain that can be set. */
const maxLeftMs = 3_600_000

/** Margin after that time, in milliseconds: the server finishes its calls. */
const marginMs = 2000

/** Addresses of draining servers, until they have ended. */
export class Departures {
  readonly #addresses = new Set<string>()
  readonly #listeners = new Set<() => void>()

  /** @param leftMs value of the trailer */
  note(address: string, leftMs: string): void {
    const left = Number(leftMs)
    if (this.#addresses.has(address) || !(left >= 0 && left <= maxLeftMs)) return
    this.#addresses.add(address)
    setTimeout(() => {
      this.#addresses.delete(address)
      this.#notify()
    }, left + marginMs).unref()
    this.#notify()
  }

  has(address: string): boolean {
    return this.#addresses.has(address)
  }

  /** @param listener called when an address is added or removed; adding it twice is harmless */
  addListener(listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeListener(listener: () => void): void {
    this.#listeners.delete(listener)
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
