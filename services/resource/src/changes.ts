import type { Database, Queryable } from '@svc/database'
import type { CallContext } from '@svc/runtime'
import { checkRoom } from './growth.ts'
import { namespaceNotFound } from './namespaces/namespaces.ts'

/** The channel on which every commit is announced, with the key of its namespace. */
export const changesChannel = 'resource_changes'

/** What a write has done, noted as it goes. A write that notes nothing changes nothing. */
export interface Change {
  /** A flag or segment, or anything in it, has been made or is no longer what it was. */
  changed(kind: 'namespace' | 'flag' | 'segment', key: string): void
  deleted(kind: 'namespace' | 'flag' | 'segment', key: string): void
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
  return commit(db, namespaceKey, caller, async (tx, change) => {
    if (!(await lockNamespace(tx, namespaceKey))) throw namespaceNotFound(namespaceKey)
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
  return commit(db, namespaceKey, caller, async (tx, change) => {
    if (await lockNamespace(tx, namespaceKey)) await remove(tx, change)
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

/** @returns whether there is such a namespace; its row is then the transaction's until it ends */
export async function lockNamespace(tx: Queryable, namespaceKey: string): Promise<boolean> {
  const rows = await tx.query('SELECT FROM resource.namespaces WHERE key = $1 FOR NO KEY UPDATE', [
    namespaceKey,
  ])
  return rows.length > 0
}

async function commit<T>(
  db: Database,
  namespaceKey: string,
  caller: Caller,
  write: Write<T>,
): Promise<T> {
  const { result, revision } = await db.transaction(async (tx) => {
    const changed: Touched[] = []
    const deleted: Touched[] = []
    const result = await write(tx, {
      changed: (kind, key) => changed.push({ kind, key }),
      deleted: (kind, key) => deleted.push({ kind, key }),
    })
    if (changed.length + deleted.length === 0) return { result }
    await checkRoom(tx, namespaceKey, keysOf('flag', changed), keysOf('segment', changed))
    return { result, revision: await stamp(tx, namespaceKey, changed, deleted) }
  })
  if (revision !== undefined) caller?.setTrailer('svc-revision', `${namespaceKey}:${revision}`)
  return result
}

interface Touched {
  readonly kind: string
  readonly key: string
}

/**
 * Takes the next revision. The namespace's row is held by now, so within a namespace the order of
 * the revisions is the order of the commits.
 */
async function stamp(
  tx: Queryable,
  namespaceKey: string,
  changed: readonly Touched[],
  deleted: readonly Touched[],
): Promise<number | undefined> {
  const [row] = await tx.query<{ revision: number }>(
    `WITH next AS MATERIALIZED (SELECT nextval('resource.revisions') AS revision),
     namespace AS (
       UPDATE resource.namespaces AS n
          SET revision = next.revision,
              created_revision = CASE n.revision WHEN 0 THEN next.revision ELSE created_revision END
         FROM next WHERE n.key = $1),
     flags AS (
       UPDATE resource.flags AS f SET revision = next.revision
         FROM next WHERE f.namespace_key = $1 AND f.key = ANY ($2)),
     segments AS (
       UPDATE resource.segments AS s SET revision = next.revision
         FROM next WHERE s.namespace_key = $1 AND s.key = ANY ($3)),
     made_anew AS (
       DELETE FROM resource.tombstones
        WHERE namespace_key = $1
          AND (kind = 'flag' AND key = ANY ($2) OR kind = 'segment' AND key = ANY ($3))),
     buried AS (
       INSERT INTO resource.tombstones (namespace_key, kind, key, revision)
       SELECT $1, gone.kind, gone.key, next.revision
         FROM next, unnest($4::text[], $5::text[]) AS gone (kind, key)
       ON CONFLICT (namespace_key, kind, key) DO UPDATE
          SET revision = excluded.revision, deleted_at = excluded.deleted_at)
     SELECT next.revision, pg_notify($6, $1) FROM next`,
    [
      namespaceKey,
      keysOf('flag', changed),
      keysOf('segment', changed),
      deleted.map(({ kind }) => kind),
      deleted.map(({ key }) => key),
      changesChannel,
    ],
  )
  return row?.revision
}

function keysOf(kind: string, touched: readonly Touched[]): string[] {
  return touched.filter((one) => one.kind === kind).map(({ key }) => key)
}
