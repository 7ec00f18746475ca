import type { FlagDocument, FlagDocumentInput, RuleDocument } from '@svc/client/api'
import { newId } from './steps.ts'

/** The variants of a flag that is made of a boolean one. */
export const [onVariant, offVariant] = ['on', 'off']

/**
 * The flag with variants that stands in for a boolean one. It gives everyone what the boolean flag gives
 * where no rollout answers; its rules come as a draft ({@link rulesOf}).
 */
export function toVariantFlag(
  flag: FlagDocument,
  key: string,
  name: string,
): FlagDocumentInput & { readonly key: string } {
  const { description, metadata, enabled } = flag
  return {
    key,
    name,
    description,
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    ...(metadata && { metadata }),
    variants: [
      { key: onVariant, name: 'On', default: enabled },
      { key: offVariant, name: 'Off', default: !enabled },
    ],
  }
}

/** What a boolean flag cannot have: a share of segments. */
export interface SegmentShare {
  readonly segments: readonly string[]
  readonly percentage: number
  /** The rollout that it takes the place of. */
  readonly replaces?: string | undefined
}

/**
 * Its rules: one for each rollout of segments, and one for the share. What percentages of all entities did
 * cannot be said by rules, which are for segments.
 */
export function rulesOf(
  { rollouts }: FlagDocument,
  { segments, percentage, replaces }: SegmentShare,
): readonly RuleDocument[] {
  const shared = ruleOf(segments, 'OR_SEGMENT_OPERATOR', percentage)
  const rules = rollouts.flatMap(({ id, segment }): RuleDocument[] => {
    if (id === replaces) return [{ ...shared, operator: segment?.operator ?? shared.operator }]
    if (segment === undefined) return []
    return [ruleOf(segment.segments, segment.operator, segment.value ? 100 : 0)]
  })
  const isIn = rollouts.some(({ id }) => id === replaces)
  return isIn ? rules : [...rules, shared]
}

/** @param percentage who of them gets On; the others get Off */
function ruleOf(
  segments: readonly string[],
  operator: RuleDocument['operator'],
  percentage: number,
): RuleDocument {
  const shares = [
    { variant: onVariant, rollout: percentage },
    { variant: offVariant, rollout: 100 - percentage },
  ].filter(({ rollout }) => rollout > 0)
  return {
    id: newId(),
    segments,
    operator,
    distributions: shares.map((share) => ({ id: newId(), ...share })),
  }
}
