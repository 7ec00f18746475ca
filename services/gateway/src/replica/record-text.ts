import { type FlagRecord, type SegmentsRecord, shortestFloat } from '@svc/evaluation'

/**
 * Writes a flag as the `FlagRecord` of the records stream. The same flag has the same text, whether or not the
 * record has variants that are not served.
 */
export function writeRecord({ key, type, enabled, createdAt, ...flag }: FlagRecord): string {
  const { seconds, nanos } = createdAt ?? { seconds: 0, nanos: 0 }
  const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
  const known = new Map(flag.variants.map((variant) => [variant.id, variant]))
  const rules = isBoolean ? [] : flag.rules
  const shares = rules.flatMap(({ distributions }) => distributions)
  const preset = known.get(flag.defaultVariant?.id ?? '')
  const served = new Set([
    ...(preset === undefined ? [] : [preset]),
    ...shares.flatMap(({ variantId }) => known.get(variantId) ?? []),
  ])
  return JSON.stringify({
    key,
    type,
    enabled,
    created: seconds * 1e6 + Math.floor(nanos / 1000),
    defaultVariantId: preset?.id ?? '',
    variants: Array.from(served, ({ id, key, attachment }) => ({ id, key, attachment })),
    rules: rules.map(({ rank, distributions, ...condition }) => ({
      rank,
      ...toCondition(condition),
      distributions: distributions.map(({ variantId, rollout }) => ({
        variantId,
        rollout: shortestFloat(rollout),
      })),
    })),
    rollouts: (isBoolean ? flag.rollouts : []).map(({ rank, segment, threshold }) => ({
      rank,
      segment: segment && { ...toCondition(segment), value: segment.value },
      threshold: threshold && {
        percentage: shortestFloat(threshold.percentage),
        value: threshold.value,
      },
    })),
  })
}

function toCondition({ segmentKey, segmentKeys, segmentOperator }: SegmentsRecord) {
  return { segmentKeys: segmentKey === '' ? segmentKeys : [segmentKey], segmentOperator }
}
