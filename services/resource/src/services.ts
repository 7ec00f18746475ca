import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { DocumentServiceDefinition } from '@svc/proto/resource/v1/apply'
import { ChangeServiceDefinition } from '@svc/proto/resource/v1/changes'
import { ConstraintServiceDefinition } from '@svc/proto/resource/v1/constraints'
import { DistributionServiceDefinition } from '@svc/proto/resource/v1/distributions'
import { DraftServiceDefinition } from '@svc/proto/resource/v1/drafts'
import { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import { GatewayServiceDefinition } from '@svc/proto/resource/v1/gateways'
import { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import { RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import { VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import { WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import type { RpcServer, ServiceDefinition } from '@svc/rpc'
import { documentHandlers } from './apply/documents.rpc.ts'
import { constraintHandlers } from './constraints/constraints.ts'
import { distributionHandlers } from './distributions/distributions.ts'
import { draftHandlers } from './drafts/drafts.rpc.ts'
import { flagHandlers } from './flags/flags.ts'
import { gatewayHandlers } from './gateways/gateways.rpc.ts'
import { historyHandlers } from './history/history.ts'
import { namespaceHandlers } from './namespaces/namespaces.ts'
import type { ChangeFeed } from './replication/change-feed.ts'
import { watchHandlers } from './replication/watch.rpc.ts'
import { rolloutHandlers } from './rollouts/rollouts.ts'
import { ruleHandlers } from './rules/rules.ts'
import { segmentHandlers } from './segments/segments.ts'
import { variantHandlers } from './variants/variants.ts'

/** The services of the management API. */
export const managementServices: readonly ServiceDefinition[] = [
  NamespaceServiceDefinition,
  FlagServiceDefinition,
  VariantServiceDefinition,
  SegmentServiceDefinition,
  ConstraintServiceDefinition,
  RuleServiceDefinition,
  DistributionServiceDefinition,
  RolloutServiceDefinition,
  DocumentServiceDefinition,
  DraftServiceDefinition,
  GatewayServiceDefinition,
  ChangeServiceDefinition,
]

/**
 * The handlers of all their methods, no two of which have the same name.
 *
 * @param applyDrafts is called when there are drafts to apply
 */
export function managementHandlers(db: Database, applyDrafts: () => void) {
  return {
    ...namespaceHandlers(db),
    ...flagHandlers(db),
    ...variantHandlers(db),
    ...segmentHandlers(db),
    ...constraintHandlers(db),
    ...ruleHandlers(db),
    ...distributionHandlers(db),
    ...rolloutHandlers(db),
    ...documentHandlers(db),
    ...draftHandlers(db, applyDrafts),
    ...gatewayHandlers(db),
    ...historyHandlers(db),
  }
}

/**
 * Everything that this service serves.
 *
 * @param nowMs the clock of the database
 * @param applyDrafts is called when there are drafts to apply
 */
export function addServices(
  server: RpcServer<Caller>,
  db: Database,
  feed: ChangeFeed,
  nowMs: () => number,
  applyDrafts: () => void,
): void {
  const handlers = managementHandlers(db, applyDrafts)
  for (const service of managementServices) server.add(service, handlers)
  server.add(WatchServiceDefinition, watchHandlers(feed, nowMs))
}
