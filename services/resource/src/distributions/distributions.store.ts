import type { Queryable } from '@svc/database'
import type {
  CreateDistributionRequest,
  DeleteDistributionRequest,
  Distribution,
  UpdateDistributionRequest,
} from '@svc/proto/resource/v1/distributions'
import { microseconds, toInstant } from '../instants.ts'
import { onlyRow } from '../rows.ts'

/** A distribution `d` as a JSON array. */
export const distributionColumns = `json_build_array(d.id, d.variant_id, d.rollout,
  ${microseconds('d.created_at')}, ${microseconds('d.updated_at')})`

export type DistributionRow = readonly [
  id: string,
  variantId: string,
  rollout: number,
  createdAt: number,
  updatedAt: number,
]

export function toDistribution(
  ruleId: string,
  [id, variantId, rollout, createdAt, updatedAt]: DistributionRow,
): Distribution {
  return {
    id,
    ruleId,
    variantId,
    rollout,
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(updatedAt),
  }
}

interface Row {
  distribution: DistributionRow
}

/** Whether the flag has the rule and the variant. */
export async function hasParents(
  db: Queryable,
  { namespaceKey, flagKey, ruleId, variantId }: CreateDistributionRequest,
): Promise<boolean> {
  const rows = await db.query(
    `SELECT FROM resource.rules AS r
       JOIN resource.variants AS v USING (namespace_key, flag_key)
      WHERE namespace_key = $1 AND flag_key = $2 AND r.id = $3 AND v.id = $4`,
    [namespaceKey, flagKey, ruleId, variantId],
  )
  return rows.length > 0
}

/** The rule and the variant are there: the namespace is held. */
export async function insertDistributionRow(
  db: Queryable,
  { namespaceKey, flagKey, ruleId, variantId, rollout }: CreateDistributionRequest,
): Promise<Distribution> {
  const rows = await db.query<Row>(
    `INSERT INTO resource.distributions AS d
            (namespace_key, flag_key, rule_id, variant_id, rollout)
     VALUES ($1, $2, $3, $4, $5)
     RETURNING ${distributionColumns} AS distribution`,
    [namespaceKey, flagKey, ruleId, variantId, rollout],
  )
  return toDistribution(ruleId, onlyRow(rows).distribution)
}

/** @returns the distribution as it now is, or `undefined` when there is none to update */
export async function updateDistributionRow(
  db: Queryable,
  { namespaceKey, flagKey, ruleId, id, variantId, rollout }: UpdateDistributionRequest,
): Promise<Distribution | undefined> {
  const [row] = await db.query<Row>(
    `UPDATE resource.distributions AS d
        SET variant_id = $5, rollout = $6, updated_at = statement_timestamp()
      WHERE d.namespace_key = $1 AND d.flag_key = $2 AND d.rule_id = $3 AND d.id = $4
      RETURNING ${distributionColumns} AS distribution`,
    [namespaceKey, flagKey, ruleId, id, variantId, rollout],
  )
  return row && toDistribution(ruleId, row.distribution)
}

/** @returns whether there was one, serving that variant */
export async function deleteDistributionRow(
  db: Queryable,
  { namespaceKey, flagKey, ruleId, id, variantId }: DeleteDistributionRequest,
): Promise<boolean> {
  const rows = await db.query(
    `DELETE FROM resource.distributions
      WHERE namespace_key = $1 AND flag_key = $2 AND rule_id = $3 AND id = $4 AND variant_id = $5
      RETURNING id`,
    [namespaceKey, flagKey, ruleId, id, variantId],
  )
  return rows.length > 0
}
