import type { Queryable } from '@svc/database'
import { AppError } from '@svc/runtime'

/**
 * What a flag or a segment may take with everything in it. It travels in one message, and gRPC
 * carries 16 MiB; eight of the largest attachments fit.
 */
const maxBytes = 8 * 2 ** 20

/** What a record takes besides its texts, at most: ids, times, and the keys of what it belongs to. */
const bytesPerRecord = 1024

const bytesOfFlag = `
  SELECT sum(${bytesPerRecord} + bytes) AS bytes FROM (
    SELECT octet_length(key) + octet_length(name) + octet_length(description)
           + octet_length(attachment) AS bytes
      FROM resource.variants WHERE namespace_key = $1 AND flag_key = $2
    UNION ALL
    SELECT octet_length(description)
      FROM resource.rollouts WHERE namespace_key = $1 AND flag_key = $2
    UNION ALL
    SELECT 0 FROM resource.rules WHERE namespace_key = $1 AND flag_key = $2
    UNION ALL
    SELECT 0 FROM resource.rule_segments WHERE namespace_key = $1 AND flag_key = $2
    UNION ALL
    SELECT 0 FROM resource.rollout_segments WHERE namespace_key = $1 AND flag_key = $2
    UNION ALL
    SELECT 0 FROM resource.distributions WHERE namespace_key = $1 AND flag_key = $2
  ) AS record`

const bytesOfSegment = `
  SELECT sum(${bytesPerRecord} + octet_length(property) + octet_length(value)
             + octet_length(description)) AS bytes
    FROM resource.constraints WHERE namespace_key = $1 AND segment_key = $2`

/** @throws {AppError} `resource_exhausted` when the flag or segment has become too large */
export async function checkRoom(
  tx: Queryable,
  kind: 'flag' | 'segment',
  namespaceKey: string,
  key: string,
): Promise<void> {
  const sql = kind === 'flag' ? bytesOfFlag : bytesOfSegment
  const [row] = await tx.query<{ bytes: number | null }>(sql, [namespaceKey, key])
  if ((row?.bytes ?? 0) <= maxBytes) return
  const name = `${kind} "${namespaceKey}/${key}"`
  const message = `${name} is full: with all that is in it, it may take 8 MiB`
  throw new AppError('resource_exhausted', `${kind}_full`, message)
}
