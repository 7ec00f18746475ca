import type { Queryable } from '@svc/database'
import type { Flag } from '@svc/proto/resource/v1/flags'
import type { Rollout } from '@svc/proto/resource/v1/rollouts'
import type { Rule } from '@svc/proto/resource/v1/rules'
import { FlagState } from '@svc/proto/resource/v1/watch'
import { flags } from '../flags/flags.ts'
import { rollouts } from '../rollouts/rollouts.ts'
import { rules } from '../rules/rules.ts'

/** A flag with all that decides what it serves, as it is sent. */
export interface EncodedFlag {
  readonly key: string
  readonly revision: number
  /** A `FlagState`. */
  readonly state: Buffer
}

/**
 * Reads flags with all that decides what they serve, as the management API reads them.
 *
 * @param revisions of the flags, by key
 */
export async function readFlagStates(
  tx: Queryable,
  namespaceKey: string,
  revisions: ReadonlyMap<string, number>,
): Promise<EncodedFlag[]> {
  const keys = [...revisions.keys()]
  const [read, allRules, allRollouts] = await Promise.all([
    flags.readAll(tx, namespaceKey, keys),
    rules.readAll(tx, namespaceKey, keys),
    rollouts.readAll(tx, namespaceKey, keys),
  ])
  const rulesOf = Map.groupBy(allRules, ({ flagKey }) => flagKey)
  const rolloutsOf = Map.groupBy(allRollouts, ({ flagKey }) => flagKey)
  // One for all of them: it keeps its buffer, which soon has the size that a flag takes.
  const writer = FlagState.encode({ flag: undefined, rules: [], rollouts: [] })
  return read.map((flag) => {
    const { key } = flag
    const state = toState(flag, rulesOf.get(key) ?? [], rolloutsOf.get(key) ?? [])
    const revision = revisions.get(key) ?? 0
    return { key, revision, state: Buffer.from(FlagState.encode(state, writer).finish()) }
  })
}

/** A flag is sent whole, without what evaluation does not read of the records in it. */
function toState(flag: Flag, rules: readonly Rule[], rollouts: readonly Rollout[]): FlagState {
  const { variants, defaultVariant } = flag
  return FlagState.fromPartial({
    flag: {
      ...flag,
      variants: variants.map(({ id, key, attachment }) => ({ id, key, attachment })),
      ...(defaultVariant && { defaultVariant: { id: defaultVariant.id } }),
    },
    rules: rules.map(({ id, rank, segmentKey, segmentKeys, segmentOperator, distributions }) => ({
      id,
      rank,
      segmentKey,
      segmentKeys,
      segmentOperator,
      distributions: distributions.map(({ variantId, rollout }) => ({ variantId, rollout })),
    })),
    rollouts: rollouts.map(({ type, rank, segment, threshold }) => ({
      type,
      rank,
      ...(segment && { segment }),
      ...(threshold && { threshold }),
    })),
  })
}
