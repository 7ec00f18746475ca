import { shareOn } from '@svc/evaluation'
import type { Flag } from '@svc/proto/resource/v1/flags'
import { microseconds, toInstant } from '../records/instants.ts'
import type { Summary } from '../records/table.ts'

type Columns = [
  type: Flag['type'],
  enabled: boolean,
  ruleCount: number,
  rollouts: Rollout[] | null,
  defaultVariantKey: string | null,
  revision: number,
  change: Change | null,
]
type Rollout = [value: boolean, percentage: number | null, isForEveryone: boolean | null]
type Change = [at: number, actorId: string, method: string | null, name: string | null]

const isOwn = (table: string) =>
  `${table}.namespace_key = flags.namespace_key AND ${table}.flag_key = flags.key`

const matchesEveryone = `NOT EXISTS (
  SELECT FROM resource.constraints AS c
   WHERE c.namespace_key = s.namespace_key AND c.segment_key = s.segment_key)`

/** SQL: whether the segments of a rollout hold for every entity. */
const isForEveryone = `(
  SELECT CASE o.segment_operator WHEN 'AND_SEGMENT_OPERATOR' THEN bool_and(${matchesEveryone})
                                 ELSE bool_or(${matchesEveryone}) END
    FROM resource.rollout_segments AS s WHERE ${isOwn('s')} AND s.rollout_id = o.id)`

export const flagSummary: Summary<Flag, Columns> = {
  sql: `
    json_build_array(
      flags.type, flags.enabled,
      (SELECT count(*) FROM resource.rules AS r WHERE ${isOwn('r')}),
      (SELECT json_agg(json_build_array(o.value, o.percentage, ${isForEveryone}) ORDER BY o.rank)
         FROM resource.rollouts AS o WHERE ${isOwn('o')}),
      (SELECT v.key FROM resource.variants AS v
        WHERE ${isOwn('v')} AND v.id = flags.default_variant_id),
      flags.revision,
      (SELECT json_build_array(${microseconds('c.at')}, c.actor, a.method, a.name)
         FROM resource.changes AS c LEFT JOIN resource.actors AS a ON a.id = c.actor
        WHERE c.namespace_key = flags.namespace_key AND c.revision = flags.revision))`,
  toMembers([type, enabled, ruleCount, rows, defaultVariantKey, revision, change]) {
    const rollouts = rows ?? []
    const onShare = type === 'BOOLEAN_FLAG_TYPE' ? toShare(enabled, rollouts) : undefined
    return {
      summary: {
        ...{ ruleCount, rolloutCount: rollouts.length, revision },
        ...(onShare !== undefined && { onShare }),
        ...(defaultVariantKey !== null && { defaultVariantKey }),
        ...(change !== null && toChange(change)),
      },
    }
  },
}

function toShare(enabled: boolean, rollouts: readonly Rollout[]): number | undefined {
  return shareOn(
    enabled,
    rollouts.map(([value, percentage, isForEveryone]) => ({
      value,
      // As gateways have it.
      ...(percentage !== null && { percentage: Math.fround(percentage) }),
      isForEveryone: isForEveryone === true,
    })),
  )
}

function toChange([at, id, method, name]: Change) {
  const changedBy = { id, method: method ?? '', name: name ?? '', address: '' }
  return { changedBy, changedAt: toInstant(at) }
}

/** SQL: whether a flag of the namespace, which is the first parameter, has a rule or rollout for a segment. */
export const usesSegment = (key: string) => `
  key IN (SELECT flag_key FROM resource.rule_segments WHERE namespace_key = $1 AND segment_key = ${key}
           UNION ALL
          SELECT flag_key FROM resource.rollout_segments
           WHERE namespace_key = $1 AND segment_key = ${key})`
