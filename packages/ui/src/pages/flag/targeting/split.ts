import type { DistributionDocument, FlagDocument, RuleDocument } from '@svc/client/api'
import { addStep, editStep, newId } from './steps.ts'

/** Buckets of a distribution are ten-thousandths of a per cent. */
const bucketsPerPercent = 10_000
export const shareDecimals = 4
const buckets = 100 * bucketsPerPercent

/** Of the service: a share of zero is empty. */
function toBuckets(percentage: number): number {
  return percentage > 0 ? Math.round(Math.min(percentage, 100) * bucketsPerPercent) : 0
}

export function toShare(value: number): number {
  return toBuckets(Math.max(0, value)) / bucketsPerPercent
}

/** A rule that gives one variant to a segment. */
export function ruleFor(segmentKey: string, variant: string | undefined): RuleDocument {
  return {
    id: newId(),
    segments: [segmentKey],
    operator: 'OR_SEGMENT_OPERATOR',
    distributions: variant === undefined ? [] : [share(variant, 100)],
  }
}

export function addRule(flag: FlagDocument, segmentKey: string): FlagDocument {
  const variant = flag.variants.find((one) => !one.default) ?? flag.variants[0]
  return addStep(flag, ruleFor(segmentKey, variant?.key))
}

function share(variant: string, rollout: number): DistributionDocument {
  return { id: newId(), variant, rollout }
}

function edit(
  flag: FlagDocument,
  id: string,
  change: (distributions: readonly DistributionDocument[]) => readonly DistributionDocument[],
): FlagDocument {
  return editStep<RuleDocument>(flag, id, (rule) => ({
    ...rule,
    distributions: change(rule.distributions),
  }))
}

/** The only variant that a rule gives, to all of it; nothing for a split. */
export function onlyVariantOf({ distributions }: RuleDocument): string | undefined {
  const [only, ...others] = distributions
  return only !== undefined && others.length === 0 && toBuckets(only.rollout) === buckets
    ? only.variant
    : undefined
}

export function serveVariant(flag: FlagDocument, id: string, variant: string): FlagDocument {
  return edit(flag, id, ([first]) => [
    first === undefined ? share(variant, 100) : { ...first, variant, rollout: 100 },
  ])
}

/** Makes a split of a rule that gives one variant: half for it and half for another one. */
export function toSplit(flag: FlagDocument, id: string): FlagDocument {
  return edit(flag, id, (shares) => {
    const others = flag.variants.filter(({ key }) => !shares.some(({ variant }) => variant === key))
    const wanted = others.slice(0, Math.max(0, 2 - shares.length))
    return evenly([...shares, ...wanted.map(({ key }) => share(key, 0))])
  })
}

export function setShare(
  flag: FlagDocument,
  id: string,
  variant: string,
  percentage: number,
): FlagDocument {
  return edit(flag, id, (shares) =>
    shares.map((one) => (one.variant === variant ? { ...one, rollout: toShare(percentage) } : one)),
  )
}

/** Adds a variant, with what the others leave. */
export function addShare(flag: FlagDocument, id: string, variant: string): FlagDocument {
  return edit(flag, id, (shares) =>
    shares.some((one) => one.variant === variant)
      ? shares
      : [...shares, share(variant, Math.max(0, gapOf(shares)))],
  )
}

export function removeShare(flag: FlagDocument, id: string, variant: string): FlagDocument {
  return edit(flag, id, (shares) => shares.filter((one) => one.variant !== variant))
}

export function splitEvenly(flag: FlagDocument, id: string): FlagDocument {
  return edit(flag, id, evenly)
}

/** Hundredths of a per cent each; what does not divide goes to the first ones. */
function evenly(shares: readonly DistributionDocument[]): readonly DistributionDocument[] {
  const whole = 10_000
  const each = Math.floor(whole / shares.length)
  const more = whole - each * shares.length
  return shares.map((one, place) => ({ ...one, rollout: (each + (place < more ? 1 : 0)) / 100 }))
}

/** Gives what is left of 100 to a variant. */
export function giveRest(flag: FlagDocument, id: string, variant: string): FlagDocument {
  return edit(flag, id, (shares) => {
    const gap = gapOf(shares)
    if (gap <= 0) return shares
    return shares.some((one) => one.variant === variant)
      ? shares.map((one) =>
          one.variant === variant ? { ...one, rollout: toShare(one.rollout + gap) } : one,
        )
      : [...shares, share(variant, gap)]
  })
}

/** What is left of 100; less than 0 when the shares are more than that. */
export function gapOf(shares: readonly DistributionDocument[]): number {
  const sum = shares.reduce((sum, { rollout }) => sum + toBuckets(rollout), 0)
  return (buckets - sum) / bucketsPerPercent
}

/** Where the shares begin and end, in per cent, as buckets have them. */
export function rangesOf(
  shares: readonly DistributionDocument[],
): readonly (readonly [from: number, to: number])[] {
  let bound = 0
  return shares.map(({ rollout }) => {
    const from = bound
    bound = Math.min(buckets, bound + toBuckets(rollout))
    return [from / bucketsPerPercent, bound / bucketsPerPercent]
  })
}

/** Nothing: the code's own default is served. */
export function setDefault(flag: FlagDocument, variant: string | undefined): FlagDocument {
  return {
    ...flag,
    variants: flag.variants.map((one) => ({ ...one, default: one.key === variant })),
  }
}

export function defaultOf({ variants }: Pick<FlagDocument, 'variants'>): string | undefined {
  return variants.find((variant) => variant.default)?.key
}
