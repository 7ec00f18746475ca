import { distributionBucket, distributionPlaces, extendBound } from './bucket.ts'
import { type Condition, compileCondition, matchingKeys, noKeys } from './condition.ts'
import { crc32 } from './crc32.ts'
import type { Entity } from './entity.ts'
import type { FlagOrigin, FlagRecord, Reason, RuleRecord, VariantRecord } from './records.ts'
import type { Segment } from './segment.ts'

export interface VariantFlag extends FlagOrigin {
  readonly type: 'VARIANT_FLAG_TYPE'
  /** The hash of the key, from which the hash with an entity's id continues. */
  readonly keyCrc: number
  readonly enabled: boolean
  /** The first of them, by rank. */
  readonly rules: Rule | undefined
  /** When it is not enabled, or no rule decides. */
  readonly otherwise: VariantEvaluation
  /** Whether any of its variants has an attachment, also one that is served to no entity. */
  readonly hasAttachments: boolean
}

interface Rule {
  readonly condition: Condition
  /** The first of them, in creation order. */
  readonly distributions: Distribution
  readonly next: Rule | undefined
}

interface Distribution {
  /** The first place after it; it begins where the one before ends. */
  readonly bound: number
  /** `undefined` when the flag has no such variant; its places then stay empty. */
  readonly answer: VariantEvaluation | undefined
  readonly next: Distribution | undefined
}

/** Frozen, mostly: an evaluation picks one that was made when the flag was compiled. */
export interface VariantEvaluation {
  readonly match: boolean
  readonly segmentKeys: readonly string[]
  readonly reason: Reason
  /** Empty when there is none. */
  readonly variantKey: string
  /** JSON text, or empty. */
  readonly variantAttachment: string
}

const nothing = answer(false, 'UNKNOWN_EVALUATION_REASON', undefined)

export function compileVariantFlag(
  { enabled, variants, defaultVariant, rules }: FlagRecord,
  { key, createdAt, source }: FlagOrigin,
  findSegment: (key: string) => Segment,
): VariantFlag {
  const byId = new Map(variants.map((variant) => [variant.id, variant]))
  const preset = defaultVariant && byId.get(defaultVariant.id)
  return {
    type: 'VARIANT_FLAG_TYPE',
    key,
    createdAt,
    source,
    keyCrc: crc32(key),
    enabled,
    rules: rules
      .toSorted((a, b) => a.rank - b.rank)
      .reduceRight<Rule | undefined>(
        (next, rule) => compileRule(rule, next, byId, preset, findSegment),
        undefined,
      ),
    otherwise: fallback(enabled, preset),
    hasAttachments: variants.some(({ attachment }) => attachment !== ''),
  }
}

/**
 * Which variant a flag has for an entity. Never throws.
 *
 * The first rule whose segments match decides, even when the entity stands beyond all of its
 * distributions: later rules are not tried.
 */
export function evaluateVariant(flag: VariantFlag, entity: Entity): VariantEvaluation {
  const { enabled, keyCrc, otherwise } = flag
  if (!enabled) return otherwise
  for (let rule = flag.rules; rule !== undefined; rule = rule.next) {
    const { condition, distributions } = rule
    const segmentKeys = matchingKeys(condition, entity)
    if (segmentKeys === undefined) continue
    const answer = choose(distributions, keyCrc, entity.id) ?? otherwise
    return segmentKeys === answer.segmentKeys ? answer : { ...answer, segmentKeys }
  }
  return otherwise
}

function choose(first: Distribution, keyCrc: number, entityId: string) {
  // Mostly there is one for all entities.
  if (first.bound === distributionPlaces) return first.answer
  const bucket = distributionBucket(keyCrc, entityId)
  let chosen: Distribution | undefined = first
  while (chosen !== undefined && bucket >= chosen.bound) chosen = chosen.next
  return chosen?.answer
}

function compileRule(
  rule: RuleRecord,
  next: Rule | undefined,
  variants: ReadonlyMap<string, VariantRecord>,
  preset: VariantRecord | undefined,
  findSegment: (key: string) => Segment,
): Rule {
  const condition = compileCondition(rule, findSegment)
  const matched = (variant: VariantRecord | undefined) =>
    answer(true, 'MATCH_EVALUATION_REASON', variant, condition.keys)
  let bound = 0
  const distributions = rule.distributions
    .filter(({ rollout }) => rollout > 0)
    .map(({ variantId, rollout }) => {
      bound = extendBound(bound, rollout)
      const variant = variants.get(variantId)
      return { bound, answer: variant && matched(variant) }
    })
    .reduceRight<Distribution | undefined>(
      (next, { bound, answer }) => ({ bound, answer, next }),
      undefined,
    ) ?? { bound: distributionPlaces, answer: matched(preset), next: undefined }
  return { condition, distributions, next }
}

function fallback(enabled: boolean, preset: VariantRecord | undefined): VariantEvaluation {
  if (!enabled) return answer(false, 'FLAG_DISABLED_EVALUATION_REASON', preset)
  return preset === undefined ? nothing : answer(false, 'DEFAULT_EVALUATION_REASON', preset)
}

function answer(
  match: boolean,
  reason: Reason,
  variant: VariantRecord | undefined,
  segmentKeys: readonly string[] = noKeys,
): VariantEvaluation {
  return Object.freeze({
    match,
    segmentKeys,
    reason,
    variantKey: variant?.key ?? '',
    variantAttachment: variant?.attachment ?? '',
  })
}
