import type { Queryable } from '@svc/database'
import { microseconds } from '../records/instants.ts'
import { onlyRow } from '../records/table.ts'
import type { ChangedRecord } from './changed-record.ts'
import type { ChangeRecorder } from './recorder.ts'
import { maxRecordBytes } from './size-limits.ts'

/** The channel on which every commit is announced, as `<namespace>:<revision>`. */
export const changesChannel = 'resource_changes'

/** The namespace after a change. */
export interface Stamp {
  readonly revision: number
  /** In microseconds since 1970. */
  readonly at: number
  /** The last change that was logged; nothing before the first. */
  readonly head: ChainHead | null
  /** Size of the namespace now. */
  readonly bytes: number
  /** The difference to its size before. */
  readonly growth: number
  /** A flag or segment that has grown beyond what it may take. */
  readonly full: ChangedRecord | null
}

/** The head of a namespace's chain of changes. */
export interface ChainHead {
  readonly revision: number
  readonly hash: Buffer
  /** How much was logged today, in bytes. */
  readonly loggedBytes: number
}

const lock = 'SELECT revision FROM resource.namespaces WHERE key = $1 FOR NO KEY UPDATE'

interface Locked {
  readonly revision: number
}

/**
 * Locks the namespace's row until the transaction ends, unless another transaction has it.
 *
 * @returns the namespace's revision; nothing when the row is locked, or there is none
 */
export async function tryLockNamespace(
  tx: Queryable,
  namespaceKey: string,
): Promise<number | undefined> {
  const [row] = await tx.query<Locked>(`${lock} SKIP LOCKED`, [namespaceKey])
  return row?.revision
}

/**
 * Waits for the namespace's row, and locks it until the transaction ends.
 *
 * @param lockTimeoutMs limit of the wait for another transaction; the pool's own when left out
 * @returns the namespace's revision; nothing when there is none
 */
export async function lockNamespace(
  tx: Queryable,
  namespaceKey: string,
  lockTimeoutMs?: number,
): Promise<number | undefined> {
  const limits = lockTimeoutMs === undefined ? {} : { lockTimeoutMs }
  const [row] = await tx.query<Locked>(lock, [namespaceKey], limits)
  return row?.revision
}

/**
 * Takes the next revision and updates the sizes. The namespace's row is locked by now, so within a
 * namespace the order of the revisions is the order of the commits.
 */
export async function stampChange(
  tx: Queryable,
  namespaceKey: string,
  change: ChangeRecorder,
): Promise<Stamp> {
  const rows = await tx.query<StampRow>(
    `WITH next AS MATERIALIZED (
       SELECT coalesce($9::bigint, nextval('resource.revisions')) AS revision),
     flags AS (
       UPDATE resource.flags AS f
          SET revision = next.revision, held_bytes = resource.bytes_of_flag($1, f.key)
         FROM next, resource.flags AS before
        WHERE f.namespace_key = $1 AND f.key = ANY ($2)
          AND before.namespace_key = $1 AND before.key = f.key
        RETURNING f.key, f.held_bytes AS bytes, f.held_bytes - before.held_bytes AS growth),
     segments AS (
       UPDATE resource.segments AS s
          SET revision = next.revision, held_bytes = resource.bytes_of_segment($1, s.key)
         FROM next, resource.segments AS before
        WHERE s.namespace_key = $1 AND s.key = ANY ($3)
          AND before.namespace_key = $1 AND before.key = s.key
        RETURNING s.key, s.held_bytes AS bytes, s.held_bytes - before.held_bytes AS growth),
     parts AS (
       SELECT 'flag' AS kind, * FROM flags UNION ALL SELECT 'segment', * FROM segments),
     growth AS (SELECT coalesce(sum(growth), 0)::bigint - $7 AS growth FROM parts),
     namespace AS (
       UPDATE resource.namespaces AS n
          SET revision = next.revision, held_bytes = greatest(0, held_bytes + growth),
              settings_revision =
                CASE WHEN $10 THEN next.revision ELSE n.settings_revision END,
              created_revision = CASE n.revision WHEN 0 THEN next.revision ELSE created_revision END
         FROM next, growth WHERE n.key = $1
        RETURNING held_bytes),
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
     SELECT next.revision, ${microseconds('statement_timestamp()')} AS at,
            chain.revision AS "headRevision", chain.hash AS "headHash",
            CASE chain.logged_on WHEN current_date THEN chain.logged_bytes ELSE 0 END
              AS "loggedBytes",
            growth, coalesce((SELECT held_bytes FROM namespace), 0) AS bytes, (
              SELECT json_build_object('kind', kind, 'key', key) FROM parts
               WHERE bytes > $8 AND parts.growth > 0 LIMIT 1) AS "full",
            pg_notify($6, $1 || ':' || next.revision)
       FROM next CROSS JOIN growth
       LEFT JOIN resource.chains AS chain ON chain.namespace_key = $1`,
    [
      namespaceKey,
      change.changedKeys('flag'),
      change.changedKeys('segment'),
      change.deletions.map(({ kind }) => kind),
      change.deletions.map(({ key }) => key),
      changesChannel,
      change.freedBytes,
      maxRecordBytes,
      change.revision,
      change.changedKeys('namespace').length > 0,
    ],
  )
  const { headRevision, headHash, loggedBytes, ...stamp } = onlyRow(rows)
  const head = headHash && { revision: headRevision, hash: headHash, loggedBytes }
  return { ...stamp, head }
}

interface StampRow extends Omit<Stamp, 'head'> {
  readonly headRevision: number
  readonly headHash: Buffer | null
  readonly loggedBytes: number
}
