import { distributionBucket, extendBound } from './bucket.ts'
import { type Condition, compileCondition, matchingKeys, noKeys } from './condition.ts'
import type { Context } from './context.ts'
import { crc32 } from './crc32.ts'
import type { Reason } from './reason.ts'
import type { FlagRecord, RuleRecord } from './records.ts'
import type { Segment } from './segment.ts'

export interface VariantFlag {
  readonly type: 'VARIANT_FLAG_TYPE'
  readonly key: string
  /** The hash of a key and an entity's id goes on from here. */
  readonly keyCrc: number
  readonly createdAt: number
  readonly enabled: boolean
  readonly defaultVariant: Variant | undefined
  /** The first of them, by rank. */
  readonly rules: Rule | undefined
}

interface Variant {
  readonly key: string
  readonly attachment: string
}

interface Rule {
  readonly condition: Condition
  /** The first of them, in creation order. */
  readonly distributions: Distribution | undefined
  readonly next: Rule | undefined
}

interface Distribution {
  /** The first place after it; it begins where the one before ends. */
  readonly bound: number
  /** `undefined` when the flag has no such variant; its places are then nobody's. */
  readonly variant: Variant | undefined
  readonly next: Distribution | undefined
}

export interface VariantEvaluation {
  readonly match: boolean
  readonly segmentKeys: readonly string[]
  readonly reason: Reason
  /** Empty when there is none. */
  readonly variantKey: string
  /** JSON text, or empty. */
  readonly variantAttachment: string
}

export function compileVariantFlag(
  record: FlagRecord,
  createdAt: number,
  findSegment: (key: string) => Segment,
): VariantFlag {
  const variants = new Map(
    record.variants.map(({ id, key, attachment }) => [id, { key, attachment }]),
  )
  return {
    type: 'VARIANT_FLAG_TYPE',
    key: record.key,
    keyCrc: crc32(record.key),
    createdAt,
    enabled: record.enabled,
    defaultVariant: record.defaultVariant && variants.get(record.defaultVariant.id),
    rules: record.rules
      .toSorted((a, b) => a.rank - b.rank)
      .reduceRight<Rule | undefined>(
        (next, rule) => compileRule(rule, next, variants, findSegment),
        undefined,
      ),
  }
}

/**
 * Which variant a flag has for an entity. Never throws.
 *
 * The first rule whose segments match decides, even when the entity stands beyond all of its
 * distributions: later rules are not tried.
 */
export function evaluateVariant(
  flag: VariantFlag,
  entityId: string,
  context: Context,
): VariantEvaluation {
  const { defaultVariant } = flag
  if (!flag.enabled) return answer(false, 'FLAG_DISABLED_EVALUATION_REASON', defaultVariant)
  for (let rule = flag.rules; rule !== undefined; rule = rule.next) {
    const { condition, distributions } = rule
    const segmentKeys = matchingKeys(condition, entityId, context)
    if (segmentKeys === undefined) continue
    if (distributions === undefined) {
      return answer(true, 'MATCH_EVALUATION_REASON', defaultVariant, segmentKeys)
    }
    const variant = chooseVariant(distributions, distributionBucket(flag.keyCrc, entityId))
    return variant === undefined
      ? unmatched(defaultVariant, segmentKeys)
      : answer(true, 'MATCH_EVALUATION_REASON', variant, segmentKeys)
  }
  return unmatched(defaultVariant)
}

function compileRule(
  rule: RuleRecord,
  next: Rule | undefined,
  variants: ReadonlyMap<string, Variant>,
  findSegment: (key: string) => Segment,
): Rule | undefined {
  const condition = compileCondition(rule, findSegment)
  if (condition === undefined) return next
  let bound = 0
  const distributions = rule.distributions
    .filter(({ rollout }) => rollout > 0)
    .map(({ variantId, rollout }) => {
      bound = extendBound(bound, rollout)
      return { bound, variant: variants.get(variantId) }
    })
  return {
    condition,
    distributions: distributions.reduceRight<Distribution | undefined>(
      (next, distribution) => ({ ...distribution, next }),
      undefined,
    ),
    next,
  }
}

function chooseVariant(distributions: Distribution, bucket: number): Variant | undefined {
  let chosen: Distribution | undefined = distributions
  while (chosen !== undefined && bucket >= chosen.bound) chosen = chosen.next
  return chosen?.variant
}

function unmatched(defaultVariant: Variant | undefined, segmentKeys?: readonly string[]) {
  const reason =
    defaultVariant === undefined ? 'UNKNOWN_EVALUATION_REASON' : 'DEFAULT_EVALUATION_REASON'
  return answer(false, reason, defaultVariant, segmentKeys)
}

function answer(
  match: boolean,
  reason: Reason,
  variant: Variant | undefined,
  segmentKeys: readonly string[] = noKeys,
): VariantEvaluation {
  return {
    match,
    segmentKeys,
    reason,
    variantKey: variant?.key ?? '',
    variantAttachment: variant?.attachment ?? '',
  }
}
