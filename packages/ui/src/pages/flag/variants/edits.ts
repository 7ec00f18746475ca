import type { FlagDocument, RuleDocument, VariantDocument } from '@svc/client/api'

/**
 * The flag with a variant in the place of the one that has its id, or with one more. Rules name variants by
 * their keys, so they follow a new key. One variant at most is the default.
 */
export function withVariant(flag: FlagDocument, variant: VariantDocument): FlagDocument {
  const before = variant.id === '' ? undefined : flag.variants.find(({ id }) => id === variant.id)
  const others = flag.variants.map((one) => (variant.default ? { ...one, default: false } : one))
  const variants =
    before === undefined
      ? [...others, variant]
      : others.map((one) => (one.id === variant.id ? variant : one))
  if (before === undefined || before.key === variant.key) return { ...flag, variants }
  const rules = flag.rules.map((rule) => ({
    ...rule,
    distributions: rule.distributions.map((one) =>
      one.variant === before.key ? { ...one, variant: variant.key } : one,
    ),
  }))
  return { ...flag, variants, rules }
}

/** The flag without a variant, and without the shares that rules have for it. */
export function withoutVariant(flag: FlagDocument, key: string): FlagDocument {
  return {
    ...flag,
    variants: flag.variants.filter((variant) => variant.key !== key),
    rules: flag.rules.map((rule) => ({
      ...rule,
      distributions: rule.distributions.filter(({ variant }) => variant !== key),
    })),
  }
}

/**
 * A draft with the variants that the flag has now. Its rules follow new keys, and lose the shares of variants that
 * are gone. A default that was chosen in the draft stays while its variant is there.
 */
export function withVariantsOf(
  now: FlagDocument,
): (flag: FlagDocument, base: FlagDocument) => FlagDocument {
  return (flag, base) => {
    const ids = new Map(flag.variants.map(({ key, id }) => [key, id]))
    const keys = new Map(now.variants.map(({ key, id }) => [id, key]))
    const rules = flag.rules.map((rule) => ({
      ...rule,
      distributions: rule.distributions.flatMap((one) => {
        const variant = keys.get(ids.get(one.variant) ?? '')
        return variant === undefined ? [] : [{ ...one, variant }]
      }),
    }))
    const chosen = defaultIdOf(flag)
    const isKept =
      chosen !== defaultIdOf(base) &&
      (chosen === undefined || now.variants.some(({ id }) => id === chosen))
    const variants = isKept
      ? now.variants.map((one) => ({ ...one, default: one.id === chosen }))
      : now.variants
    return { ...flag, variants, rules }
  }
}

export function defaultIdOf({ variants }: Pick<FlagDocument, 'variants'>): string | undefined {
  return variants.find((variant) => variant.default)?.id
}

/** How many rules serve a variant. */
export function ruleCount({ rules }: Pick<FlagDocument, 'rules'>, key: string): number {
  return rules.filter((rule) => shareOf(rule, key) > 0).length
}

/** What a rule loses when a variant is deleted. */
export interface RuleLoss {
  /** From 1. */
  readonly place: number
  readonly segments: readonly string[]
  /** Per cent of those that the rule matches. */
  readonly share: number
  /** Whether others of the rule get another variant, because those after it move up. */
  readonly movesOthers: boolean
}

/** What deleting a variant takes from people. */
export interface Loss {
  readonly rules: readonly RuleLoss[]
  /** Whether it is what everyone else gets. */
  readonly isDefault: boolean
  /** The key of the default after that: who had the variant gets it. Nothing: the default of the code. */
  readonly heir: string | undefined
}

export function lossOf(flag: FlagDocument, key: string): Loss {
  const heir = flag.variants.find((variant) => variant.default && variant.key !== key)?.key
  const isDefault = flag.variants.some((variant) => variant.default && variant.key === key)
  const rules = flag.rules.flatMap((rule, index): RuleLoss[] => {
    const share = shareOf(rule, key)
    if (share <= 0) return []
    const places = rule.distributions.filter(({ rollout }) => rollout > 0)
    const first = places.findIndex(({ variant }) => variant === key)
    const movesOthers = places.slice(first).some(({ variant }) => variant !== key)
    return [{ place: index + 1, segments: rule.segments, share, movesOthers }]
  })
  return { rules, isDefault, heir }
}

/** The share of a variant within a rule: what is above 100 in sum is never served. */
function shareOf({ distributions }: RuleDocument, key: string): number {
  let taken = 0
  let share = 0
  for (const { variant, rollout } of distributions) {
    const end = Math.min(100, taken + Math.max(0, rollout))
    if (variant === key) share += end - taken
    taken = end
  }
  return Number(share.toFixed(4))
}
