import type { Database, Queryable } from '@svc/database'
import { AppError } from '@svc/runtime'
import { onlyRow } from '../rows.ts'

/**
 * What a flag or a segment may take with everything in it. It travels in one message, so this is
 * well below what gRPC carries here; eight of the largest attachments fit.
 */
const maxBytes = 8 * 2 ** 20

/** What a record takes besides its texts, at most: ids, times, and the keys of what it belongs to. */
export const bytesPerRecord = 1024

/** The records in flags, in SQL: what the texts of each take, by the key of the flag. */
export const recordsInFlags = (where: string) => `
  SELECT flag_key, octet_length(key) + octet_length(name) + octet_length(description)
                   + octet_length(attachment) AS bytes
    FROM resource.variants WHERE ${where}
  UNION ALL
  SELECT flag_key, octet_length(description) FROM resource.rollouts WHERE ${where}
  UNION ALL
  SELECT flag_key, 0 FROM resource.rules WHERE ${where}
  UNION ALL
  SELECT flag_key, 0 FROM resource.rule_segments WHERE ${where}
  UNION ALL
  SELECT flag_key, 0 FROM resource.rollout_segments WHERE ${where}
  UNION ALL
  SELECT flag_key, 0 FROM resource.distributions WHERE ${where}`

/** What is in a flag, in SQL. */
const bytesInFlag = `
  (SELECT coalesce(sum(${bytesPerRecord} + bytes), 0)
     FROM (${recordsInFlags('namespace_key = $1 AND flag_key = $2')}) AS record)`

/** What is in a segment, in SQL, of which the parameters are expressions. */
export const bytesInSegment = (namespaceKey: string, segmentKey: string) => `
  (SELECT coalesce(sum(${bytesPerRecord} + octet_length(property) + octet_length(value)
                       + octet_length(description)), 0)
     FROM resource.constraints
    WHERE namespace_key = ${namespaceKey} AND segment_key = ${segmentKey})`

/** @throws {AppError} `resource_exhausted` when the flag or segment has become too large */
export async function checkRoom(
  tx: Queryable,
  kind: 'flag' | 'segment',
  namespaceKey: string,
  key: string,
): Promise<void> {
  const content = kind === 'flag' ? bytesInFlag : bytesInSegment('$1', '$2')
  const [row] = await tx.query<{ bytes: number }>(`SELECT ${content} AS bytes`, [namespaceKey, key])
  if ((row?.bytes ?? 0) <= maxBytes) return
  const name = `${kind} "${namespaceKey}/${key}"`
  const message = `${name} is full: with all that is in it, it may take 8 MiB`
  throw new AppError('resource_exhausted', `${kind}_full`, message)
}

/** Bytes that one namespace may take in a gateway: as many as a snapshot of it may have. */
const usualMaxNamespaceBytes = 256 * 2 ** 20

const namespaceLimits = new WeakMap<Database, number>()

/** Sets how many bytes each namespace of a database may take. */
export function limitNamespaces(db: Database, maxBytes: number): void {
  namespaceLimits.set(db, maxBytes)
}

/**
 * Refuses a change by which a namespace takes more than it may. Every gateway has all of it in memory.
 *
 * @param bytes by the count in its row. It is made anew before it refuses anything: a replica of a build
 *   that does not keep it may have deleted something.
 * @throws {AppError} `resource_exhausted`
 */
export async function checkNamespaceRoom(
  db: Database,
  tx: Queryable,
  namespaceKey: string,
  bytes: number,
): Promise<void> {
  const maxBytes = namespaceLimits.get(db) ?? usualMaxNamespaceBytes
  if (bytes <= maxBytes || (await recount(tx, namespaceKey)) <= maxBytes) return
  const message =
    `namespace "${namespaceKey}" is full: with all that is in it, it may take ` +
    `${maxBytes / 2 ** 20} MiB; delete or shrink something in it, or raise resource.max_namespace_mib`
  throw new AppError('resource_exhausted', 'namespace_full', message)
}

/** @returns what the namespace takes, which its row says from then on */
async function recount(tx: Queryable, namespaceKey: string): Promise<number> {
  const rows = await tx.query<{ bytes: number }>(
    `UPDATE resource.namespaces
        SET held_bytes =
              (SELECT coalesce(sum(held_bytes), 0) FROM resource.flags WHERE namespace_key = $1)
              + (SELECT coalesce(sum(held_bytes), 0) FROM resource.segments WHERE namespace_key = $1)
      WHERE key = $1 RETURNING held_bytes AS bytes`,
    [namespaceKey],
  )
  return onlyRow(rows).bytes
}
