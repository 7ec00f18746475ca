import type { Queryable } from '@svc/database'
import { Distribution } from '@svc/proto/resource/v1/distributions'
import type { Flag } from '@svc/proto/resource/v1/flags'
import { Rollout } from '@svc/proto/resource/v1/rollouts'
import { Rule } from '@svc/proto/resource/v1/rules'
import { Variant } from '@svc/proto/resource/v1/variants'
import { FlagState } from '@svc/proto/resource/v1/watch'
import { readFlags } from '../flags/flags.store.ts'
import { readRollouts } from '../rollouts/rollouts.store.ts'
import { readRules } from '../rules/rules.store.ts'

/** A flag with all that decides what it serves, as it is sent. */
export interface EncodedFlag {
  readonly key: string
  readonly revision: number
  /** A `FlagState`. */
  readonly state: Buffer
}

/** Reads flags with all that decides what they serve, as the management API reads them. */
export async function readFlagStates(
  tx: Queryable,
  namespaceKey: string,
  flagKeys: readonly string[],
): Promise<EncodedFlag[]> {
  const [flags, allRules, allRollouts] = await Promise.all([
    readFlags(tx, namespaceKey, flagKeys),
    readRules(tx, namespaceKey, flagKeys),
    readRollouts(tx, namespaceKey, flagKeys),
  ])
  const rules = Map.groupBy(allRules, ({ flagKey }) => flagKey)
  const rollouts = Map.groupBy(allRollouts, ({ flagKey }) => flagKey)
  // One for all of them: it keeps its buffer, which soon has the size that a flag takes.
  const writer = FlagState.encode({ flag: undefined, rules: [], rollouts: [] })
  return flags.map(({ revision, flag }) => {
    const { key } = flag
    const state = {
      flag: stripFlag(flag),
      rules: (rules.get(key) ?? []).map(stripRule),
      rollouts: (rollouts.get(key) ?? []).map(stripRollout),
    }
    return { key, revision, state: Buffer.from(FlagState.encode(state, writer).finish()) }
  })
}

const noVariant = Variant.fromPartial({})
const noRule = Rule.fromPartial({})
const noDistribution = Distribution.fromPartial({})
const noRollout = Rollout.fromPartial({})

/** A flag is sent whole, but for what evaluation does not read of its variants. */
function stripFlag(flag: Flag): Flag {
  const { variants, defaultVariant } = flag
  return {
    ...flag,
    variants: variants.map(({ id, key, attachment }) => ({ ...noVariant, id, key, attachment })),
    ...(defaultVariant && { defaultVariant: { ...noVariant, id: defaultVariant.id } }),
  }
}

function stripRule(rule: Rule): Rule {
  const { id, rank, segmentKey, segmentKeys, segmentOperator } = rule
  const distributions = rule.distributions.map(({ variantId, rollout }) => ({
    ...noDistribution,
    variantId,
    rollout,
  }))
  return { ...noRule, id, rank, segmentKey, segmentKeys, segmentOperator, distributions }
}

function stripRollout({ type, rank, segment, threshold }: Rollout): Rollout {
  return {
    ...noRollout,
    type,
    rank,
    ...(segment && { segment }),
    ...(threshold && { threshold }),
  }
}
