import type { Queryable } from '@svc/database'

/** @returns the first of the segments that a flag uses, and such a flag */
export async function findUsedSegment(
  tx: Queryable,
  namespaceKey: string,
  segmentKeys: readonly string[],
): Promise<{ readonly segmentKey: string; readonly flagKey: string } | undefined> {
  const [used] = await tx.query<{ segmentKey: string; flagKey: string }>(
    `SELECT segment_key AS "segmentKey", flag_key AS "flagKey"
       FROM (SELECT segment_key, flag_key FROM resource.rule_segments
              WHERE namespace_key = $1 AND segment_key = ANY ($2::text[])
              UNION ALL
             SELECT segment_key, flag_key FROM resource.rollout_segments
              WHERE namespace_key = $1 AND segment_key = ANY ($2::text[])) AS used
      ORDER BY segment_key, flag_key LIMIT 1`,
    [namespaceKey, segmentKeys],
  )
  return used
}
