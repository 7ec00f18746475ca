import type { FlagDocument, RolloutDocument, RuleDocument } from '@svc/client/api'

export function booleanFlag(...rollouts: readonly RolloutDocument[]): FlagDocument {
  return {
    key: 'checkout',
    type: 'BOOLEAN_FLAG_TYPE',
    name: 'Checkout',
    description: '',
    enabled: false,
    variants: [],
    rules: [],
    rollouts,
  }
}

export function variantFlag(...rules: readonly RuleDocument[]): FlagDocument {
  const variants = ['blue', 'green', 'amber'].map((key) => ({
    id: `variant-${key}`,
    key,
    name: key,
    description: '',
    attachment: '',
    default: key === 'blue',
  }))
  return { ...booleanFlag(), type: 'VARIANT_FLAG_TYPE', enabled: true, variants, rules }
}

export function percent(id: string, percentage: number, value = true): RolloutDocument {
  return { id, description: '', threshold: { percentage, value } }
}

export function inSegments(id: string, ...segments: readonly string[]): RolloutDocument {
  const segment = { segments, operator: 'OR_SEGMENT_OPERATOR', value: true } as const
  return { id, description: '', segment }
}

export function rule(id: string, shares: Readonly<Record<string, number>>): RuleDocument {
  return {
    id,
    segments: ['eu'],
    operator: 'OR_SEGMENT_OPERATOR',
    distributions: Object.entries(shares).map(([variant, rollout]) => ({
      id: `${id}-${variant}`,
      variant,
      rollout,
    })),
  }
}
