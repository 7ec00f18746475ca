import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import { DistributionServiceDefinition } from '@svc/proto/resource/v1/distributions'
import { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import { WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import type { RpcServer } from '@svc/rpc'
import { constraintHandlers } from './constraints/constraints.rpc.ts'
import { distributionHandlers } from './distributions/distributions.rpc.ts'
import { flagHandlers } from './flags/flags.rpc.ts'
import { namespaceHandlers } from './namespaces/namespaces.rpc.ts'
import type { ChangeFeed } from './replication/change-feed.ts'
import { watchHandlers } from './replication/watch.rpc.ts'
import { rolloutHandlers } from './rollouts/rollouts.rpc.ts'
import { ruleHandlers } from './rules/rules.rpc.ts'
import { segmentHandlers } from './segments/segments.rpc.ts'
import { variantHandlers } from './variants/variants.rpc.ts'

/** Everything that this service serves. */
export function addServices(server: RpcServer<Caller>, db: Database, feed: ChangeFeed): void {
  server
    .add(NamespaceServiceDefinition, namespaceHandlers(db))
    .add(FlagServiceDefinition, flagHandlers(db))
    .add(VariantServiceDefinition, variantHandlers(db))
    .add(SegmentServiceDefinition, segmentHandlers(db))
    .add(ConstraintServiceDefinition, constraintHandlers(db))
    .add(RuleServiceDefinition, ruleHandlers(db))
    .add(DistributionServiceDefinition, distributionHandlers(db))
    .add(RolloutServiceDefinition, rolloutHandlers(db))
    .add(WatchServiceDefinition, watchHandlers(feed))
}
