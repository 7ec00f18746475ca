import type { Bucket, ConstraintFinding, Explanation, SegmentFinding, Step } from '@svc/client/api'
import type { PathState } from '../components/rail.tsx'
import { needsProperty } from '../constraints/kinds.ts'
import type { Format } from '../text/format.ts'
import { bold } from '../text/rich.tsx'
import type { ExplainTexts } from './texts.ts'

/** What sentences are made with. */
export interface Words {
  readonly t: ExplainTexts
  readonly on: string
  readonly off: string
  readonly format: Pick<Format, 'number' | 'place' | 'exactShare' | 'list' | 'choice'>
  /** The name of a segment. */
  readonly segmentName: (key: string) => string
}

export function isBoolean({ type }: Pick<Explanation, 'type'>): boolean {
  return type === 'BOOLEAN_FLAG_TYPE'
}

/** What is served, as it is called: `On`, the key of a variant, or `Nothing`. */
export function servedText(explanation: Explanation, words: Words): string {
  const { boolean, variant } = explanation
  if (boolean !== undefined) return boolean.enabled ? words.on : words.off
  return variant?.variantKey || words.t.nothing
}

/** What a step or a share serves, as it is called. */
export function valueText(serves: string, explanation: Explanation, { t, on, off }: Words): string {
  if (isBoolean(explanation)) return serves === 'true' ? on : off
  return serves || t.missingVariant
}

export function stepName(place: number, explanation: Explanation, { t, format }: Words): string {
  const number = format.number(place)
  return isBoolean(explanation) ? t.rollout(number) : t.rule(number)
}

/** Whether the flag is one with variants that is off: then nothing is asked. */
export function isDisabled(explanation: Explanation): boolean {
  return explanation.reason === 'FLAG_DISABLED_EVALUATION_REASON'
}

/** `On, because of rollout 2`. */
export function headline(explanation: Explanation, words: Words): string {
  const { t, format } = words
  const value = servedText(explanation, words)
  if (isDisabled(explanation)) return t.disabled(value)
  const { decidedBy, steps } = explanation
  if (decidedBy > 0) {
    const isRest = stepAt(explanation)?.verdict === 'BEYOND_VERDICT'
    return isRest
      ? t.leftOut(value, format.number(decidedBy))
      : t.because(value, stepName(decidedBy, explanation, words))
  }
  if (isBoolean(explanation))
    return steps.length === 0 ? t.noRollouts(value) : t.noRolloutMatches(value)
  return steps.length === 0 ? t.noRules(value) : t.noRuleMatches(value)
}

/** The step that decided. */
export function stepAt({ steps, decidedBy }: Explanation): Step | undefined {
  return steps.find(({ place }) => place === decidedBy)
}

/** Why the deciding step decided: `user-314 falls into bucket 11.509, and those below 25% get On.` */
export function reasonText(explanation: Explanation, words: Words): string {
  const { t } = words
  const step = stepAt(explanation)
  const value = servedText(explanation, words)
  if (isDisabled(explanation)) return ''
  if (step === undefined) {
    if (isBoolean(explanation)) return t.elseGets(value)
    return explanation.variant?.variantKey === '' ? t.noDefault : t.elseGetsDefault(value)
  }
  const entity = bold(explanation.entityId || t.noEntityName)
  const members = step.segments.filter(({ member }) => member)
  const segments = words.format.list(members.map(({ key }) => words.segmentName(key)))
  if (step.bucket === undefined) {
    return step.verdict === 'BEYOND_VERDICT'
      ? t.noSplit(entity, segments)
      : t.belongsTo(entity, segments)
  }
  return bucketReason(entity, step.bucket, explanation, words)
}

function bucketReason(entity: string, bucket: Bucket, explanation: Explanation, words: Words) {
  const { t, format } = words
  const at = format.place(percentOf(bucket.place, bucket))
  const share = bucket.shares.find(({ chosen }) => chosen)
  if (share === undefined) {
    const end = bucket.shares.at(-1)?.to ?? 0
    return t.fallsBeyond(entity, at, format.exactShare(percentOf(end, bucket)))
  }
  if (share.serves === '') return t.fallsIntoNone(entity, at)
  const to = percentOf(share.to, bucket)
  const value = valueText(share.serves, explanation, words)
  return isBoolean(explanation)
    ? t.fallsBelow(entity, at, format.exactShare(to), value)
    : t.fallsInto(entity, at, value, format.place(percentOf(share.from, bucket)), format.place(to))
}

/** A place as one of 0 to 100. */
export function percentOf(place: number, { places }: Pick<Bucket, 'places'>): number {
  return (place / places) * 100
}

/** How the question went by a step. */
export function stateOf({ place, verdict }: Step, { decidedBy }: Explanation): PathState {
  if (place === decidedBy) return 'hit'
  return verdict === 'NOT_REACHED_VERDICT' ? 'unreached' : 'passed'
}

/** What a step asks: `If in Beta users or Staff`, `For 25%`. */
export function questionText(step: Step, explanation: Explanation, words: Words): string {
  const { t, format } = words
  const { segments, bucket, operator } = step
  if (segments.length > 0) {
    const names = segments.map(({ key }) => words.segmentName(key))
    return t.ifIn(operator === 'AND_SEGMENT_OPERATOR' ? format.list(names) : format.choice(names))
  }
  if (bucket === undefined || !isBoolean(explanation)) return t.forNone
  return t.forShare(format.exactShare(percentOf(bucket.shares[0]?.to ?? 0, bucket)))
}

/** Why a step was passed: `in neither`, `bucket 70.108, not below 25%`. */
export function passedText(step: Step, { t, format }: Words): string {
  const { segments, bucket, operator } = step
  if (segments.length > 0)
    return operator === 'AND_SEGMENT_OPERATOR' ? t.notInAll : t.inNone(segments.length)
  if (bucket === undefined) return t.forNone
  const share = percentOf(bucket.shares[0]?.to ?? 0, bucket)
  return t.bucketNotBelow(format.place(percentOf(bucket.place, bucket)), format.exactShare(share))
}

/** What the ruler shows, in a sentence. */
export function bucketText(bucket: Bucket, explanation: Explanation, words: Words): string {
  const { t, format } = words
  const at = format.place(percentOf(bucket.place, bucket))
  const share = bucket.shares.find(({ chosen }) => chosen)
  if (isBoolean(explanation)) {
    const end = format.exactShare(percentOf(bucket.shares[0]?.to ?? 0, bucket))
    return share === undefined ? t.bucketNotBelow(at, end) : t.bucketBelow(at, end)
  }
  if (share === undefined) return t.bucketBeyond(at)
  return t.bucketIn(at, valueText(share.serves, explanation, words))
}

/** Whether the entity falls beyond the shares of the step that decided. */
export function isBeyond({ verdict, place }: Step, { decidedBy }: Explanation): boolean {
  return verdict === 'BEYOND_VERDICT' && place === decidedBy
}

/**
 * What becomes of those beyond the shares of a rule; nothing when there are none.
 *
 * @param preset the key of the default variant
 */
export function gapText(step: Step, preset: string | undefined, { t, format }: Words) {
  const { bucket } = step
  if (bucket === undefined) return undefined
  const rest = 100 - percentOf(bucket.shares.at(-1)?.to ?? 0, bucket)
  if (rest < 0.00005) return undefined
  const share = format.exactShare(rest)
  return preset === undefined ? t.gapNothing(share) : t.gap(share, preset)
}

/** `needs any of 2`. */
export function needsText(
  { exists, matchType, constraints }: SegmentFinding,
  { t, format }: Words,
) {
  if (!exists) return t.segmentMissing
  const count = constraints.length
  if (count === 0) return t.everyoneIsIn
  const text = format.number(count)
  return matchType === 'ANY_MATCH_TYPE' ? t.needsAny(count, text) : t.needsAll(count, text)
}

/** What was found of a constraint. */
export interface Found {
  readonly text: string
  /** What the context has, after the text. */
  readonly actual?: string
  /** After that. */
  readonly more?: string
}

export function foundOf(finding: ConstraintFinding, { t }: Pick<Words, 't'>): Found {
  const { actual, cause, holds } = finding
  switch (cause) {
    case 'UNREADABLE_VALUE_CAUSE':
      return { text: t.unreadableValue }
    case 'UNKNOWN_OPERATOR_CAUSE':
      return { text: t.unknownOperator }
    case 'ABSENT_CAUSE': {
      const isNegation = !holds && needsProperty(finding)
      return { text: t.notInContext, ...(isNegation && { more: t.needsIt }) }
    }
    default: {
      if (actual === undefined || actual === '') return { text: t.itIsEmpty }
      const isUnreadable = cause === 'UNREADABLE_ACTUAL_CAUSE'
      const more = isUnreadable ? unreadableText(finding, t) : undefined
      return { text: t.itIs, actual, ...(more !== undefined && { more }) }
    }
  }
}

function unreadableText({ type }: ConstraintFinding, t: ExplainTexts): string | undefined {
  if (type === 'NUMBER_COMPARISON_TYPE') return t.noNumber
  if (type === 'BOOLEAN_COMPARISON_TYPE') return t.noBoolean
  return type === 'DATETIME_COMPARISON_TYPE' ? t.noDate : undefined
}

/** The properties that the flag asks about and the context does not have, in their order. */
export function missingProperties({ steps }: Explanation): readonly string[] {
  const constraints = steps.flatMap(({ segments }) =>
    segments.flatMap(({ constraints }) => constraints),
  )
  const missing = constraints.filter(({ cause }) => cause === 'ABSENT_CAUSE')
  return [...new Set(missing.map(({ property }) => property))]
}

/** What is remarkable about the entity, or left out, and stands in no step. */
export function remarks(explanation: Explanation, words: Words): readonly string[] {
  const { t } = words
  return explanation.notes.flatMap(({ kind, place }) => {
    if (kind === 'NO_ENTITY_NOTE') return [t.noEntity]
    if (kind === 'STEPS_LEFT_OUT_NOTE') return [t.leftOutSteps(stepName(place, explanation, words))]
    return []
  })
}
