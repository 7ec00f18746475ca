import type { Database } from '@svc/database'
import { openTestDatabase, type TestDatabase } from '@svc/database/testing'
import { ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import { DistributionServiceDefinition } from '@svc/proto/resource/v1/distributions'
import { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import { constraintHandlers } from '../constraints/constraints.rpc.ts'
import { distributionHandlers } from '../distributions/distributions.rpc.ts'
import { flagHandlers } from '../flags/flags.rpc.ts'
import { namespaceHandlers } from '../namespaces/namespaces.rpc.ts'
import { rolloutHandlers } from '../rollouts/rollouts.rpc.ts'
import { ruleHandlers } from '../rules/rules.rpc.ts'
import { migrations, schema } from '../schema.ts'
import { segmentHandlers } from '../segments/segments.rpc.ts'
import { variantHandlers } from '../variants/variants.rpc.ts'
import { lenient } from './lenient.ts'

export type Resources = ReturnType<typeof handlersOn> & {
  readonly db: TestDatabase
  /** The revision of a namespace, `default` unless named. */
  revision(namespaceKey?: string): Promise<number | undefined>
}

/** What this needs of a test: to be told when it is over. */
export interface Test {
  teardown(work: () => Promise<void>): void
}

/** A database of the test's own, and the handlers of every service on it. */
export async function openResources(t: Test): Promise<Resources> {
  const db = await openTestDatabase(t, schema, migrations)
  return {
    db,
    ...handlersOn(db),
    async revision(namespaceKey = 'default') {
      const [row] = await db.query<{ revision: number }>(
        'SELECT revision FROM resource.namespaces WHERE key = $1',
        [namespaceKey],
      )
      return row?.revision
    },
  }
}

/** The handlers of every service, as of a replica that has this connection pool. */
export function handlersOn(db: Database) {
  return {
    ...lenient(NamespaceServiceDefinition, namespaceHandlers(db)),
    ...lenient(FlagServiceDefinition, flagHandlers(db)),
    ...lenient(VariantServiceDefinition, variantHandlers(db)),
    ...lenient(SegmentServiceDefinition, segmentHandlers(db)),
    ...lenient(ConstraintServiceDefinition, constraintHandlers(db)),
    ...lenient(RuleServiceDefinition, ruleHandlers(db)),
    ...lenient(DistributionServiceDefinition, distributionHandlers(db)),
    ...lenient(RolloutServiceDefinition, rolloutHandlers(db)),
  }
}
