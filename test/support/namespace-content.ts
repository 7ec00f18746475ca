import type { Queryable } from '@svc/database'
import type { Replica } from '@svc/gateway/replica'
import { EncodedFlag } from '@svc/gateway/replica/flag-text'
import { flagTextOf } from '@svc/gateway/replica/namespace-state'
import { type Flag, FlagServiceDefinition, ListFlagsRequest } from '@svc/proto/resource/v1/flags'
import { ListRolloutsRequest, RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import { ListRulesRequest, RuleServiceDefinition } from '@svc/proto/resource/v1/rules'
import {
  ListSegmentsRequest,
  type Segment,
  SegmentServiceDefinition,
} from '@svc/proto/resource/v1/segments'
import { FlagState } from '@svc/proto/resource/v1/watch'
import { sentState } from '@svc/resource/testing/sent-state'
import type { RpcChannel } from '@svc/rpc'
import { vouched } from './internal.ts'

/** All that is in a namespace at a revision, each kind by key; comparable. */
export interface NamespaceContent {
  readonly revision: number
  /** As gateways keep them for snapshots. */
  readonly flags: Readonly<Record<string, string>>
  readonly segments: Readonly<Record<string, Segment>>
}

/** What a gateway holds of it. */
export function heldContent(replica: Replica, namespaceKey: string): NamespaceContent | undefined {
  const state = replica.namespace(namespaceKey)
  if (state === undefined) return undefined
  const { revision, flags, segments } = state.view()
  return {
    revision,
    flags: byKey(flags.map((flag) => [flag.key, flagTextOf(flag)])),
    segments: byKey(segments),
  }
}

/** How far a namespace is. */
export interface Committed {
  readonly namespaceKey: string
  readonly revision: number
  readonly isDeleted: boolean
}

/** What the database and the management API say of namespaces. */
export interface Contents {
  /** Of the namespaces that there are, and of those whose deletion is remembered. */
  revisions(): Promise<readonly Committed[]>
  /** @returns `changing` when it changed while it was read, `undefined` when there is none */
  read(namespaceKey: string): Promise<NamespaceContent | 'changing' | undefined>
}

export function openContents(db: Queryable, channel: RpcChannel): Contents {
  const clients = {
    ...channel.client(FlagServiceDefinition),
    ...channel.client(RuleServiceDefinition),
    ...channel.client(RolloutServiceDefinition),
    ...channel.client(SegmentServiceDefinition),
  }

  async function stateOf(namespaceKey: string, flag: Flag): Promise<FlagState> {
    const target = { namespaceKey, flagKey: flag.key }
    const [{ rules }, { rules: rollouts }] = await Promise.all([
      clients.listRules(ListRulesRequest.fromPartial(target), vouched()),
      clients.listRollouts(ListRolloutsRequest.fromPartial(target), vouched()),
    ])
    return sentState(flag, rules, rollouts)
  }

  async function revisionOf(namespaceKey: string): Promise<number | undefined> {
    const [row] = await db.query<{ revision: number }>(
      'SELECT revision FROM resource.namespaces WHERE key = $1',
      [namespaceKey],
    )
    return row?.revision
  }

  async function readAll(namespaceKey: string, revision: number): Promise<NamespaceContent> {
    const [{ flags }, { segments }] = await Promise.all([
      clients.listFlags(ListFlagsRequest.fromPartial({ namespaceKey }), vouched()),
      clients.listSegments(ListSegmentsRequest.fromPartial({ namespaceKey }), vouched()),
    ])
    const states = await Promise.all(flags.map((flag) => stateOf(namespaceKey, flag)))
    const encoded = states.map(
      (state) => new EncodedFlag(Buffer.from(FlagState.encode(state).finish())),
    )
    return {
      revision,
      flags: byKey(encoded.map(({ key, text }) => [key, text])),
      segments: byKey(segments.map((segment) => [segment.key, segment])),
    }
  }

  return {
    revisions: () =>
      db.query<Committed>(
        `SELECT coalesce(n.key, t.key) AS "namespaceKey",
                coalesce(n.revision, t.revision) AS revision,
                n.key IS NULL AS "isDeleted"
           FROM resource.namespaces AS n
           FULL JOIN (SELECT * FROM resource.tombstones WHERE kind = 'namespace') AS t
             ON t.key = n.key`,
      ),
    async read(namespaceKey) {
      const revision = await revisionOf(namespaceKey)
      const reading = revision === undefined ? undefined : readAll(namespaceKey, revision)
      const [outcome] = await Promise.allSettled([reading])
      if ((await revisionOf(namespaceKey)) !== revision) return 'changing'
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    },
  }
}

/** Lists come in the order of creation, changes in that of their revisions. */
function byKey<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
