import type { FlagEvents } from './types.ts'

type Listener<Name extends keyof FlagEvents> = (event: FlagEvents[Name]) => void

type Listeners = { readonly [Name in keyof FlagEvents]: Set<Listener<Name>> }

/** Hands events to listeners. One that throws, or rejects, keeps no other from its event. */
export class Emitter {
  readonly #listeners: Listeners = {
    ready: new Set(),
    change: new Set(),
    stale: new Set(),
    error: new Set(),
  }
  readonly #onError: (error: unknown) => void

  /** @param onError is told what listeners throw, or reject with */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** @returns what takes the listener off again */
  on<Name extends keyof FlagEvents>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners[name]
    if (listeners === undefined) {
      throw new TypeError(`there is no event "${String(name)}": ready, change, stale, error`)
    }
    // Each registration by itself, also of the same function.
    const own: Listener<Name> = (event) => listener(event)
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  has(name: keyof FlagEvents): boolean {
    return this.#listeners[name].size > 0
  }

  emit<Name extends keyof FlagEvents>(name: Name, event: FlagEvents[Name]): void {
    for (const listener of [...this.#listeners[name]]) {
      try {
        const result: unknown = listener(event)
        // Of an async function: a rejection that is left alone ends the process.
        Promise.resolve(result).catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
