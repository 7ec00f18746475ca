import type { Queryable } from '@svc/database'

/**
 * @param besides flags that do not count
 * @returns the first of the segments that a flag uses, and such a flag
 */
export async function findUsedSegment(
  tx: Queryable,
  namespaceKey: string,
  segmentKeys: readonly string[],
  besides: readonly string[] = [],
): Promise<{ readonly segmentKey: string; readonly flagKey: string } | undefined> {
  const [used] = await tx.query<{ segmentKey: string; flagKey: string }>(
    `SELECT segment_key AS "segmentKey", flag_key AS "flagKey"
       FROM (SELECT segment_key, flag_key FROM resource.rule_segments
              WHERE namespace_key = $1 AND segment_key = ANY ($2::text[])
              UNION ALL
             SELECT segment_key, flag_key FROM resource.rollout_segments
              WHERE namespace_key = $1 AND segment_key = ANY ($2::text[])) AS used
      WHERE NOT EXISTS (SELECT FROM unnest($3::text[]) AS besides (key) WHERE key = flag_key)
      ORDER BY segment_key, flag_key LIMIT 1`,
    [namespaceKey, segmentKeys, besides],
  )
  return used
}
