import type { Queryable } from '@svc/database'
import { onlyRow } from './rows.ts'

/** The channel on which every commit is announced, as `<namespace>:<revision>`. */
export const changesChannel = 'resource_changes'

/** Something that a change made, altered or deleted. */
export interface Touched {
  readonly kind: 'namespace' | 'flag' | 'segment'
  readonly key: string
}

/**
 * @param lockTimeoutMs how long to wait for a transaction that has the row; the pool's own when left out
 * @returns whether there is such a namespace; its row is then the transaction's until it ends
 */
export async function lockNamespace(
  tx: Queryable,
  namespaceKey: string,
  lockTimeoutMs?: number,
): Promise<boolean> {
  const rows = await tx.query(
    'SELECT FROM resource.namespaces WHERE key = $1 FOR NO KEY UPDATE',
    [namespaceKey],
    lockTimeoutMs === undefined ? {} : { lockTimeoutMs },
  )
  return rows.length > 0
}

/**
 * Takes the next revision. The namespace's row is held by now, so within a namespace the order of
 * the revisions is the order of the commits.
 */
export async function stampChange(
  tx: Queryable,
  namespaceKey: string,
  { changed, deleted }: { changed: readonly Touched[]; deleted: readonly Touched[] },
): Promise<number> {
  const rows = await tx.query<{ revision: number }>(
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
     SELECT next.revision, pg_notify($6, $1 || ':' || next.revision) FROM next`,
    [
      namespaceKey,
      keysOf('flag', changed),
      keysOf('segment', changed),
      deleted.map(({ kind }) => kind),
      deleted.map(({ key }) => key),
      changesChannel,
    ],
  )
  return onlyRow(rows).revision
}

function keysOf(kind: Touched['kind'], touched: readonly Touched[]): string[] {
  return touched.filter((one) => one.kind === kind).map(({ key }) => key)
}
