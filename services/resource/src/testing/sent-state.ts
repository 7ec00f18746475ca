import type { Flag } from '@svc/proto/resource/v1/flags'
import type { Rollout } from '@svc/proto/resource/v1/rollouts'
import type { Rule } from '@svc/proto/resource/v1/rules'
import { FlagState } from '@svc/proto/resource/v1/watch'

/** What watchers are sent of a flag, made of what lists say of it. */
export function sentState(
  flag: Flag,
  rules: readonly Rule[],
  rollouts: readonly Rollout[],
): FlagState {
  const { variants, defaultVariant, ...others } = flag
  const state = FlagState.fromPartial({
    flag: {
      ...others,
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
  return FlagState.decode(FlagState.encode(state).finish())
}
