import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  CreateDistributionRequest,
  Distribution,
  DistributionServiceDefinition,
} from '@svc/proto/resource/v1/distributions'
import type { Handlers } from '@svc/rpc'
import { notFound } from '@svc/runtime'
import { changeHandler, deletionHandler } from '../changes/handlers.ts'
import { flagOf } from '../changes/record-of.ts'
import { useCasesOf } from '../changes/use-cases.ts'
import { recordNotFound } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { Table } from '../records/table.ts'

type DistributionRow = RowOf<Distribution> &
  Pick<CreateDistributionRequest, 'namespaceKey' | 'flagKey'>

export const distributions = new Table<DistributionRow, Distribution>({
  kind: 'distribution',
  key: ['namespaceKey', 'flagKey', 'ruleId', 'id'],
  fields: ['variantId', 'rollout'],
  // A deletion has to name the variant, too.
  deletionKey: ['namespaceKey', 'flagKey', 'ruleId', 'id', 'variantId'],
  toMessage({ namespaceKey, flagKey, ...row }) {
    return withInstants(row)
  },
})

const { create, update, remove } = useCasesOf<DistributionServiceDefinition>(distributions, {
  recordOf: flagOf,
  async checkParents(tx, { namespaceKey, flagKey, ruleId, variantId }) {
    const rows = await tx.query(
      `SELECT FROM resource.rules AS r
         JOIN resource.variants AS v USING (namespace_key, flag_key)
        WHERE namespace_key = $1 AND flag_key = $2 AND r.id = $3 AND v.id = $4`,
      [namespaceKey, flagKey, ruleId, variantId],
    )
    if (rows.length > 0) return
    const parents = `variant "${variantId}", rule "${ruleId}", flag "${flagKey}"`
    throw notFound('distribution_parents', `${parents} in namespace "${namespaceKey}" not found`)
  },
  notFound: ({ id }) => recordNotFound('distribution', id),
})

export function distributionHandlers(db: Database) {
  return {
    createDistribution: changeHandler(db, fieldRules.CreateDistributionRequest, flagOf, create),
    updateDistribution: changeHandler(db, fieldRules.UpdateDistributionRequest, flagOf, update),
    deleteDistribution: deletionHandler(db, fieldRules.DeleteDistributionRequest, flagOf, remove),
  } satisfies Handlers<DistributionServiceDefinition, Caller>
}
