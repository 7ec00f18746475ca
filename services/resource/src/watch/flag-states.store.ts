import type { Instant, Queryable } from '@svc/database'
import type { Distribution } from '@svc/proto/resource/v1/distributions'
import type { Flag } from '@svc/proto/resource/v1/flags'
import type { Rule } from '@svc/proto/resource/v1/rules'
import type { Variant } from '@svc/proto/resource/v1/variants'
import { FlagState } from '@svc/proto/resource/v1/watch'
import { type RolloutRow, toRollout } from '../rollouts/rollouts.store.ts'
import { toRule } from '../rules/rules.store.ts'

/** A flag with all that is in it, as it is sent. */
export interface EncodedFlag {
  readonly key: string
  readonly revision: number
  /** A `FlagState`. */
  readonly state: Buffer
}

/**
 * Reads flags with all that is in them: a statement for each table, and Node.js puts the rows
 * together. For a thousand flags that takes an eighth of the time of JSON that PostgreSQL puts
 * together, and what is in memory is read from nowhere else.
 */
export async function readFlagStates(
  tx: Queryable,
  namespaceKey: string,
  flagKeys: readonly string[],
): Promise<EncodedFlag[]> {
  const read = <Row>(statement: string) => tx.query<Row>(statement, [namespaceKey, flagKeys])
  const flags = await read<FlagRow>(flagStatement)
  const variants = byFlag(await read<Of<VariantRow>>(variantStatement))
  const rules = byFlag(await read<Of<RuleRow>>(ruleStatement))
  const distributions = byFlag(await read<Of<DistributionRow>>(distributionStatement))
  const rollouts = byFlag(await read<Of<RolloutColumns>>(rolloutStatement))
  // One for all of them: it keeps its buffer, which soon has the size that a flag takes.
  const writer = FlagState.encode({ flag: undefined, rules: [], rollouts: [] })
  return flags.map((flag) => {
    const { key } = flag
    const owner = { namespaceKey, flagKey: key }
    const ofRule = Map.groupBy(distributions.get(key) ?? [], ({ ruleId }) => ruleId)
    const state = {
      flag: toFlag(flag, namespaceKey, variants.get(key) ?? []),
      rules: (rules.get(key) ?? []).map((rule) =>
        toRule({
          ...withTimes(rule),
          ...owner,
          distributions: (ofRule.get(rule.id) ?? []).map(withTimes),
        }),
      ),
      rollouts: (rollouts.get(key) ?? []).map((rollout) =>
        toRollout({ ...withTimes(rollout), ...owner }),
      ),
    }
    const encoded = FlagState.encode(state, writer).finish()
    return { key, revision: flag.revision, state: Buffer.from(encoded) }
  })
}

/** In microseconds since 1970: dates as text take longer to read than all the rest. */
interface Times {
  readonly createdAt: number
  readonly updatedAt: number
}

/** Of a table whose name in the statement is `name`. */
const times = (name: string) => `
  (extract(epoch FROM ${name}.created_at) * 1000000)::bigint AS "createdAt",
  (extract(epoch FROM ${name}.updated_at) * 1000000)::bigint AS "updatedAt"`

type Of<Row> = Row & { readonly flagKey: string }

type FlagRow = Times &
  Pick<Flag, 'key' | 'name' | 'description' | 'enabled' | 'type'> & {
    readonly revision: number
    readonly defaultVariantId: string | null
    readonly metadata: NonNullable<Flag['metadata']> | null
  }

const flagStatement = `
  SELECT f.key, f.name, f.description, f.enabled, f.type, f.metadata, f.revision,
         f.default_variant_id AS "defaultVariantId", ${times('f')}
    FROM resource.flags AS f
   WHERE f.namespace_key = $1 AND f.key = ANY ($2::text[])`

type VariantRow = Times & Pick<Variant, 'id' | 'key' | 'name' | 'description' | 'attachment'>

const variantStatement = `
  SELECT v.flag_key AS "flagKey", v.id, v.key, v.name, v.description, v.attachment, ${times('v')}
    FROM resource.variants AS v
   WHERE v.namespace_key = $1 AND v.flag_key = ANY ($2::text[])
   ORDER BY v.position`

type RuleRow = Times &
  Pick<Rule, 'id' | 'rank' | 'segmentOperator'> & { readonly segments: string[] }

const ruleStatement = `
  SELECT r.flag_key AS "flagKey", r.id, r.rank, r.segment_operator AS "segmentOperator", (
           SELECT coalesce(json_agg(s.segment_key ORDER BY s.place), '[]')
             FROM resource.rule_segments AS s
            WHERE s.namespace_key = r.namespace_key AND s.flag_key = r.flag_key
              AND s.rule_id = r.id) AS segments, ${times('r')}
    FROM resource.rules AS r
   WHERE r.namespace_key = $1 AND r.flag_key = ANY ($2::text[])
   ORDER BY r.rank, r.position`

type DistributionRow = Times & Pick<Distribution, 'id' | 'ruleId' | 'variantId' | 'rollout'>

const distributionStatement = `
  SELECT d.flag_key AS "flagKey", d.id, d.rule_id AS "ruleId", d.variant_id AS "variantId",
         d.rollout, ${times('d')}
    FROM resource.distributions AS d
   WHERE d.namespace_key = $1 AND d.flag_key = ANY ($2::text[])
   ORDER BY d.position`

type RolloutColumns = Times &
  Omit<RolloutRow, 'namespaceKey' | 'flagKey' | 'createdAt' | 'updatedAt'>

const rolloutStatement = `
  SELECT o.flag_key AS "flagKey", o.id, o.type, o.rank, o.description, o.value, o.percentage,
         o.segment_operator AS "segmentOperator", (
           SELECT coalesce(json_agg(s.segment_key ORDER BY s.place), '[]')
             FROM resource.rollout_segments AS s
            WHERE s.namespace_key = o.namespace_key AND s.flag_key = o.flag_key
              AND s.rollout_id = o.id) AS segments, ${times('o')}
    FROM resource.rollouts AS o
   WHERE o.namespace_key = $1 AND o.flag_key = ANY ($2::text[])
   ORDER BY o.rank`

function byFlag<Row>(rows: readonly Of<Row>[]): ReadonlyMap<string, readonly Of<Row>[]> {
  return Map.groupBy(rows, ({ flagKey }) => flagKey)
}

function toFlag(row: FlagRow, namespaceKey: string, variantRows: readonly VariantRow[]): Flag {
  const { revision: _, defaultVariantId, metadata, ...flag } = row
  const owner = { namespaceKey, flagKey: row.key }
  const variants = variantRows.map((variant) => ({ ...withTimes(variant), ...owner }))
  const defaultVariant = variants.find(({ id }) => id === defaultVariantId)
  return {
    ...withTimes(flag),
    namespaceKey,
    variants,
    ...(defaultVariant === undefined ? {} : { defaultVariant }),
    ...(metadata === null ? {} : { metadata }),
  }
}

function withTimes<Row extends Times>(row: Row) {
  return { ...row, createdAt: toInstant(row.createdAt), updatedAt: toInstant(row.updatedAt) }
}

function toInstant(microseconds: number): Instant {
  const seconds = Math.floor(microseconds / 1e6)
  return { seconds, nanos: (microseconds - seconds * 1e6) * 1000 }
}
