import type { Database } from '@svc/database'
import { type AppError, Limiter, unavailable } from '@svc/runtime'

/**
 * Maximum wait of a write, in this process and then for other replicas, in milliseconds. The gateway
 * gives a write 13 s: the rest is for the change itself.
 */
export const maxWaitMs = 10_000

/** Maximum waiting writes of a namespace: as many as fit into the wait, at 25 ms each. */
const maxWaiting = 400

const mutexes = new WeakMap<Database, Limiter>()

/**
 * A mutex per namespace for the writes of this process; the row lock is for those of all processes.
 * A write that waits here holds no database connection: waiting for the row, it would.
 */
export function mutexOf(db: Database): Limiter {
  let mutex = mutexes.get(db)
  if (mutex === undefined) {
    const limits = { maxRunningPerKey: 1, maxWaitingPerKey: maxWaiting, maxWaitMs }
    mutex = new Limiter({ ...limits, refuse: tooManyChanges })
    mutexes.set(db, mutex)
  }
  return mutex
}

/** The error of a write that waited for too long. Nothing was changed, so a caller may repeat it. */
export function tooManyChanges(namespaceKey: string): AppError {
  return unavailable(`too many changes to namespace "${namespaceKey}" at once, try again`)
}
