import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TokenCache } from '../../credentials/cache/token-cache.ts'

/** Many more than logins that are finished in the time for which they are remembered. */
const max = 20_000

/**
 * Remembers what may happen once only. Certain within this process and, with Redis, in all of them;
 * without it a replay at another replica is left to the far side, which has to refuse it anyway.
 */
export class Once {
  readonly #shared: Pick<TokenCache, 'markOnce'>
  readonly #marked = new LRUCache<string, true>({ max })

  constructor(shared: Pick<TokenCache, 'markOnce'>) {
    this.#shared = shared
  }

  /** @returns whether this is the first time that anyone asks for it */
  async mark(purpose: string, what: string, lifetimeMs: number): Promise<boolean> {
    // What is marked may be a secret, and of any length.
    const name = createHash('sha256').update(`${purpose}\n${what}`).digest('base64url')
    if (this.#marked.has(name)) return false
    this.#marked.set(name, true, { ttl: lifetimeMs })
    return this.#shared.markOnce(name, lifetimeMs)
  }
}
