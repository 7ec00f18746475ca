import type { Caller } from '@svc/access'
import {
  type Database,
  isLockTimeout,
  type Queryable,
  type TransactionOptions,
} from '@svc/database'
import type { CallContext } from '@svc/rpc'
import { type AppError, Limiter, unavailable } from '@svc/runtime'
import { recordNotFound } from '../records/errors.ts'
import { ChangeRecorder } from './recorder.ts'
import { checkNamespaceSize, recordFull } from './size-limits.ts'
import { lockNamespace, stampChange } from './stamp.store.ts'

/** Use cases on one namespace. They share a transaction, so all of them happen or none. */
export type Write<T> = (tx: Queryable, change: ChangeRecorder) => Promise<T>

/** The call that asked for the change: its answer carries the revision. */
export type ChangeContext = Pick<CallContext<Caller>, 'caller' | 'setTrailer'>

/**
 * Every write goes through here. It locks the namespace's row first, so writes to one namespace
 * happen one after the other: what `write` reads stays true until the commit. All that it records
 * gets the next revision, and listeners are notified at commit.
 *
 * @param missing what there is instead of a result when there is no such namespace
 * @throws {AppError} what `write` and `missing` throw
 */
export function commitChange<T>(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  write: Write<T>,
  missing = (): T => {
    throw recordNotFound('namespace', namespaceKey)
  },
): Promise<T> {
  const lockAndWrite = async (tx: Queryable, change: ChangeRecorder, waitMs: number) =>
    (await lockNamespace(tx, namespaceKey, waitMs)) ? write(tx, change) : missing()
  return commit(db, namespaceKey, context, lockAndWrite, { readsFirst: true })
}

/** The same for a namespace that does not exist yet, if `write` inserts its row first: that locks it. */
export async function commit<T>(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  write: (tx: Queryable, change: ChangeRecorder, waitMs: number) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  const deadline = performance.now() + maxWaitMs
  const { result, revision } = await mutexOf(db).run(namespaceKey, () =>
    db
      .transaction(async (tx) => {
        const change = new ChangeRecorder(context.caller)
        const result = await write(tx, change, Math.max(1, deadline - performance.now()))
        if (change.isEmpty) return { result }
        const { revision, bytes, growth, full } = await stampChange(tx, namespaceKey, change)
        if (full !== null) throw recordFull(namespaceKey, full)
        if (growth > 0) await checkNamespaceSize(db, tx, namespaceKey, bytes)
        return { result, revision }
      }, options)
      .catch((error: unknown) => {
        throw isLockTimeout(error) ? tooManyChanges(namespaceKey) : error
      }),
  )
  if (revision !== undefined) context.setTrailer('svc-revision', `${namespaceKey}:${revision}`)
  return result
}

/**
 * Maximum wait of a write, in this process and then for other replicas, in milliseconds. The gateway
 * gives a write 13 s: the rest is for the change itself.
 */
const maxWaitMs = 10_000

/** Maximum waiting writes of a namespace: as many as fit into the wait, at 25 ms each. */
const maxWaitingPerKey = 400

const mutexes = new WeakMap<Database, Limiter>()

/**
 * A mutex per namespace for the writes of this process; the row lock is for those of all processes.
 * A write that waits here holds no database connection: waiting for the row, it would.
 */
export function mutexOf(db: Database): Limiter {
  const limits = { maxRunningPerKey: 1, maxWaitingPerKey, maxWaitMs }
  const mutex = mutexes.get(db) ?? new Limiter({ ...limits, refuse: tooManyChanges })
  mutexes.set(db, mutex)
  return mutex
}

/** The error of a write that waited for too long. Nothing was changed, so a caller may repeat it. */
function tooManyChanges(namespaceKey: string): AppError {
  return unavailable(`too many changes to namespace "${namespaceKey}" at once, try again`)
}
