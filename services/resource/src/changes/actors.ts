import type { Caller } from '@svc/access'
import type { Database, Queryable } from '@svc/database'
import { LRUCache } from 'lru-cache'

/** Maximum actors whose names a process remembers to have kept. */
const maxKnownActors = 10_000

/** Interval between statements that keep the name of one actor, in milliseconds. */
const intervalMs = 3_600_000

const knownActors = new WeakMap<Database, LRUCache<string, true>>()

/**
 * The name by which an actor is known, beside the log: there it can be erased. A row that was deleted comes
 * back with the next change of the actor, an hour later at most.
 */
export class KeptActor {
  readonly #known: LRUCache<string, true>
  readonly #values: readonly [id: string, method: string, name: string]

  constructor(db: Database, id: string, { method, name }: Caller) {
    this.#known = knownActors.get(db) ?? new LRUCache({ max: maxKnownActors, ttl: intervalMs })
    knownActors.set(db, this.#known)
    // PostgreSQL has no U+0000, and the name of a JWT is what its issuer says. The id is the evidence.
    this.#values = [id, method, name.includes('\0') ? '' : name]
  }

  get #entry(): string {
    return this.#values.join('\n')
  }

  /** Unless this process has of late. Its failure is that of the transaction. */
  keep(tx: Queryable): void {
    if (this.#known.has(this.#entry)) return
    tx.query(
      `INSERT INTO resource.actors (id, method, name) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE
          SET method = excluded.method, name = excluded.name, last_at = excluded.last_at`,
      this.#values,
    ).catch(() => {})
  }

  /** It was committed. */
  confirm(): void {
    this.#known.set(this.#entry, true)
  }
}
