import type { Caller } from '@svc/access'
import { type Database, isLockTimeout, type Queryable } from '@svc/database'
import type { CallContext } from '@svc/rpc'
import { namespaceNotFound } from '../namespaces/namespaces.ts'
import { maxWaitMs, mutexOf, tooManyChanges } from './keyed-mutex.ts'
import { ChangeRecorder } from './recorder.ts'
import { checkNamespaceRoom, recordFull } from './size-limits.ts'
import { lockNamespace, stampChange } from './stamp.store.ts'

/** Use cases on one namespace. They share a transaction, so all of them happen or none. */
type Write<T> = (tx: Queryable, change: ChangeRecorder) => Promise<T>

/** The call that asked for the change: its answer carries the revision. */
type ChangeContext = Pick<CallContext<Caller>, 'caller' | 'setTrailer'>

/**
 * Every write goes through here. It locks the namespace's row first, so writes to one namespace
 * happen one after the other: what `write` reads stays true until the commit. All that it records
 * gets the next revision, and listeners are notified at commit.
 *
 * @throws {AppError} `not_found` when there is no such namespace, and what `write` throws
 */
export function commitChange<T>(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  write: Write<T>,
): Promise<T> {
  return commit(db, namespaceKey, context, async (tx, change, waitMs) => {
    if (!(await lockNamespace(tx, namespaceKey, waitMs))) throw namespaceNotFound(namespaceKey)
    return write(tx, change)
  })
}

/** The same for a deletion: a missing namespace is no error, for it holds nothing. */
export function commitDeletion(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  remove: Write<void>,
): Promise<Record<string, never>> {
  return commit(db, namespaceKey, context, async (tx, change, waitMs) => {
    if (await lockNamespace(tx, namespaceKey, waitMs)) await remove(tx, change)
    return {}
  })
}

/** The same for a namespace that does not exist yet: inserting its row locks it. */
export function commitCreation<T>(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  insert: Write<T>,
): Promise<T> {
  return commit(db, namespaceKey, context, insert)
}

async function commit<T>(
  db: Database,
  namespaceKey: string,
  context: ChangeContext,
  write: (tx: Queryable, change: ChangeRecorder, waitMs: number) => Promise<T>,
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
        if (growth > 0) await checkNamespaceRoom(db, tx, namespaceKey, bytes)
        return { result, revision }
      })
      .catch((error: unknown) => {
        throw isLockTimeout(error) ? tooManyChanges(namespaceKey) : error
      }),
  )
  if (revision !== undefined) context.setTrailer('svc-revision', `${namespaceKey}:${revision}`)
  return result
}
