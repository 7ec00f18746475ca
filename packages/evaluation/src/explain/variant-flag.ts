import type { Reason, RuleRecord, VariantRecord } from '../records.ts'
import { bucketOfDistributions } from './bucket.ts'
import type { Note, Outcome, Step } from './explanation.ts'
import { missingSegments, notes } from './notes.ts'
import { byRank, type FlagSteps, type StepFinding, type Subject } from './steps.ts'

/** The variants of a flag, as its rules refer to them. */
interface Variants {
  readonly byId: ReadonlyMap<string, VariantRecord>
  readonly preset: VariantRecord | undefined
  /** When no rule serves anything. */
  readonly otherwise: Outcome
}

/** The rules of a variant flag. The first whose segments match decides, also beyond its shares. */
export function stepsOfVariant(subject: Subject): FlagSteps {
  const { enabled, rules, variants, defaultVariant } = subject.flag
  const byId = new Map(variants.map((variant) => [variant.id, variant]))
  const preset = defaultVariant && byId.get(defaultVariant.id)
  const otherwise = outcome(false, otherwiseReason(enabled, preset), preset, [])
  const all = { byId, preset, otherwise }
  return {
    name: 'rule',
    finders: byRank(rules).map((rule) => (place) => findOut(rule, place, all, subject)),
    areTried: enabled,
    otherwise,
  }
}

function findOut(
  rule: RuleRecord,
  place: number,
  variants: Variants,
  subject: Subject,
): StepFinding {
  const condition = subject.segments.ofCondition(rule)
  const shares = sharesOf(rule, variants, subject)
  const { served, bucket } = shares
  const { keys } = condition
  return {
    step: {
      place,
      verdict: verdictOf(keys !== undefined, shares.isServed),
      operator: condition.operator,
      segments: condition.segments,
      ...(bucket !== undefined && { bucket }),
      serves: served.variant?.variantKey ?? '',
    },
    outcome: keys && { ...served, segmentKeys: keys },
    notes: [...missingSegments(place, 'rule', condition.segments), ...notesOfShares(place, bucket)],
  }
}

/** What a rule serves to the entity if its segments match. */
function sharesOf(rule: RuleRecord, { byId, preset, otherwise }: Variants, subject: Subject) {
  const { flag, entity } = subject
  const matched = (variant: VariantRecord | undefined) =>
    outcome(true, 'MATCH_EVALUATION_REASON', variant, [])
  const distributions = rule.distributions.filter(({ rollout }) => rollout > 0)
  if (distributions.length === 0) {
    return { bucket: undefined, isServed: true, served: matched(preset) }
  }
  const rollouts = distributions.map(({ variantId, rollout }) => ({
    serves: byId.get(variantId)?.key ?? '',
    rollout,
  }))
  const bucket = bucketOfDistributions(flag.key, entity, rollouts)
  const chosen = distributions[bucket.shares.findIndex((share) => share.chosen)]
  const variant = chosen && byId.get(chosen.variantId)
  const isServed = variant !== undefined
  return { bucket, isServed, served: isServed ? matched(variant) : otherwise }
}

function verdictOf(isMatched: boolean, isServed: boolean): Step['verdict'] {
  if (!isMatched) return 'NOT_MATCHED_VERDICT'
  return isServed ? 'MATCHED_VERDICT' : 'BEYOND_VERDICT'
}

function notesOfShares(place: number, bucket: Step['bucket']): readonly Note[] {
  if (bucket === undefined) return [notes.noShares(place)]
  const { places, shares } = bucket
  const end = shares.at(-1)?.to ?? 0
  return [
    ...(shares.some(({ serves }) => serves === '') ? [notes.missingVariant(place)] : []),
    ...(end < places ? [notes.sharesEnd(place, end)] : []),
  ]
}

function otherwiseReason(enabled: boolean, preset: VariantRecord | undefined): Reason {
  if (!enabled) return 'FLAG_DISABLED_EVALUATION_REASON'
  return preset === undefined ? 'UNKNOWN_EVALUATION_REASON' : 'DEFAULT_EVALUATION_REASON'
}

function outcome(
  match: boolean,
  reason: Reason,
  variant: VariantRecord | undefined,
  segmentKeys: readonly string[],
): Outcome {
  const variantKey = variant?.key ?? ''
  const variantAttachment = variant?.attachment ?? ''
  return { variant: { match, variantKey, variantAttachment }, reason, segmentKeys }
}
