import { type Database, isLockTimeout, type Queryable } from '@svc/database'
import type { CallContext } from '@svc/rpc'
import { namespaceNotFound } from '../namespaces/namespaces.ts'
import { checkNamespaceRoom, checkRoom } from './growth.ts'
import { maxWaitMs, mutexOf, tooManyChanges } from './keyed-mutex.ts'
import { type Deleted, lockNamespace, stampChange, type Touched } from './stamp.store.ts'

/** What a write has done, noted as it goes. A write that notes nothing changes nothing. */
export interface Change {
  /** It, or anything in it, has been made or is no longer what it was. */
  changed(kind: 'namespace' | 'flag' | 'segment', key: string): void
  /** The same, and with all that is in it, it may take more room than before. */
  grown(kind: 'flag' | 'segment', key: string): void
  /** @param bytes that it took, by its row; of a namespace none, for its row is gone as well */
  deleted(kind: 'namespace' | 'flag' | 'segment', key: string, bytes: number): void
}

type Write<T> = (tx: Queryable, change: Change) => Promise<T>

/** Who is told the revision of a change: the caller, after the answer. */
type Caller = Pick<CallContext, 'setTrailer'> | undefined

/**
 * Every write goes through here. It takes the namespace's row first, so writes to one namespace
 * happen one after the other: what `write` reads stays true until it commits. Whatever it notes as
 * changed or deleted gets the next revision, and listeners hear of it at commit.
 *
 * @throws {AppError} `not_found` when there is no such namespace, and whatever `write` throws
 */
export function commitChange<T>(
  db: Database,
  namespaceKey: string,
  caller: Caller,
  write: Write<T>,
): Promise<T> {
  return commit(db, namespaceKey, caller, async (tx, change, waitMs) => {
    if (!(await lockNamespace(tx, namespaceKey, waitMs))) throw namespaceNotFound(namespaceKey)
    return write(tx, change)
  })
}

/** The same for a deletion, of which a missing namespace is no error: it holds nothing. */
export function commitDeletion(
  db: Database,
  namespaceKey: string,
  caller: Caller,
  remove: Write<void>,
): Promise<Record<string, never>> {
  return commit(db, namespaceKey, caller, async (tx, change, waitMs) => {
    if (await lockNamespace(tx, namespaceKey, waitMs)) await remove(tx, change)
    return {}
  })
}

/** The same for a namespace that is not there yet: to insert its row is to take it. */
export function commitCreation<T>(
  db: Database,
  namespaceKey: string,
  caller: Caller,
  insert: Write<T>,
): Promise<T> {
  return commit(db, namespaceKey, caller, insert)
}

async function commit<T>(
  db: Database,
  namespaceKey: string,
  caller: Caller,
  write: (tx: Queryable, change: Change, waitMs: number) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + maxWaitMs
  const { result, revision } = await mutexOf(db).run(namespaceKey, () =>
    db
      .transaction(async (tx) => {
        const { note, change } = startNote()
        const result = await write(tx, note, Math.max(1, deadline - performance.now()))
        if (change.changed.length + change.deleted.length === 0) return { result }
        for (const { kind, key } of change.grown) await checkRoom(tx, kind, namespaceKey, key)
        const { revision, bytes, growth } = await stampChange(tx, namespaceKey, change)
        if (growth > 0) await checkNamespaceRoom(db, tx, namespaceKey, bytes)
        return { result, revision }
      })
      .catch((error: unknown) => {
        throw isLockTimeout(error) ? tooManyChanges(namespaceKey) : error
      }),
  )
  if (revision !== undefined) caller?.setTrailer('svc-revision', `${namespaceKey}:${revision}`)
  return result
}

function startNote() {
  const changed: Touched[] = []
  const deleted: Deleted[] = []
  const grown: (Touched & { readonly kind: 'flag' | 'segment' })[] = []
  const note: Change = {
    changed: (kind, key) => changed.push({ kind, key }),
    deleted: (kind, key, bytes) => deleted.push({ kind, key, bytes }),
    grown(kind, key) {
      changed.push({ kind, key })
      grown.push({ kind, key })
    },
  }
  return { note, change: { changed, deleted, grown } }
}
