import type { Explanation } from '@svc/client/api'

/** What a flag gave, and why. */
export type Answer = (
  | { readonly kind: 'on' | 'off' | 'nothing' }
  | { readonly kind: 'variant'; readonly name: string }
) & {
  /** `rest`: there are rules, and none of them answers. */
  readonly why: 'rule' | 'rollout' | 'everyone' | 'rest' | 'disabled'
  /** Of the rule or rollout that answers; else 0. */
  readonly place: number
}

export function answerOf(explanation: Explanation): Answer {
  const { boolean, variant, decidedBy: place } = explanation
  const why = reasonOf(explanation)
  if (boolean !== undefined) return { kind: boolean.enabled ? 'on' : 'off', why, place }
  const name = variant?.variantKey ?? ''
  return name === '' ? { kind: 'nothing', why, place } : { kind: 'variant', name, why, place }
}

function reasonOf({ boolean, enabled, steps, decidedBy }: Explanation): Answer['why'] {
  if (decidedBy > 0) return boolean === undefined ? 'rule' : 'rollout'
  if (boolean === undefined && !enabled) return 'disabled'
  return steps.length === 0 ? 'everyone' : 'rest'
}
