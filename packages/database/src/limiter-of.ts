import { Limiter, type LimiterOptions } from '@svc/runtime'
import type { Database } from './database.ts'

/**
 * A limiter of each database that this process works with: what it bounds is the work on that database.
 *
 * @returns the limiter of a database, always the same
 */
export function limiterPerDatabase(options: LimiterOptions): (db: Database) => Limiter {
  const limiters = new WeakMap<Database, Limiter>()
  return (db) => {
    const limiter = limiters.get(db) ?? new Limiter(options)
    limiters.set(db, limiter)
    return limiter
  }
}
