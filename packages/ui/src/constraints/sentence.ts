import type { SegmentDocument } from '@svc/client/api'
import type { Format } from '../text/format.ts'
import { instantOf } from './edits.ts'
import { type Comparison, isKind, operatorOf, readList, takesList, takesValue } from './kinds.ts'
import type { ConstraintTexts } from './texts.ts'

/** A constraint as the parts of a sentence: `country`, `is one of`, `DE, FR`. */
export interface ConstraintSentence {
  readonly property: string
  readonly operator: string
  /** Nothing for operators that take none. */
  readonly value: string | undefined
}

/** Values of a list that are named, unless others are wanted; more are a number. */
const defaultNamed = 3

/** Constraints of a segment that are named; more are a number. */
const maxParts = 3

export function sentenceOf(
  comparison: Comparison,
  t: ConstraintTexts,
  { number, utc }: Pick<Format, 'number' | 'utc'>,
  maxNamed = defaultNamed,
): ConstraintSentence {
  const { type, property, operator, value } = comparison
  const isEntity = type === 'ENTITY_ID_COMPARISON_TYPE'
  const head = {
    property: isEntity ? t.entity : property,
    operator: operatorWord(comparison, t),
  }
  if (!takesValue(operator)) return { ...head, value: undefined }
  if (takesList(operator)) {
    const list = readList(value)
    const text = list === undefined ? value : list.join(', ')
    const isLong = list !== undefined && list.length > maxNamed
    return { ...head, value: isLong ? t.values(number(list.length)) : text }
  }
  const at = type === 'DATETIME_COMPARISON_TYPE' ? instantOf(value) : undefined
  return { ...head, value: at === undefined ? value : t.at(utc(at)) }
}

/** An operator as people say it; as it is, when it is none of its type. */
export function operatorWord(comparison: Comparison, t: ConstraintTexts): string {
  const operator = operatorOf(comparison)
  if (operator === undefined) return comparison.operator
  if (comparison.type === 'DATETIME_COMPARISON_TYPE' && operator in t.dates)
    return t.dates[operator as keyof ConstraintTexts['dates']]
  return t.operators[operator]
}

/** What a type is called; as it is, when it is unknown. */
export function kindWord(type: string, t: ConstraintTexts): string {
  return isKind(type) ? t.kinds[type] : type
}

/** Who is in a segment, in one sentence: `country is one of 9 values, and opted_out is missing`. */
export function membersOf(
  {
    matchType,
    constraints,
  }: Pick<SegmentDocument, 'matchType'> & {
    readonly constraints: readonly Comparison[]
  },
  t: ConstraintTexts,
  format: Pick<Format, 'number' | 'utc'>,
): string {
  if (constraints.length === 0) return t.noConstraints
  const parts = constraints.slice(0, maxParts).map((one) => plain(sentenceOf(one, t, format)))
  const more = constraints.length - maxParts
  if (more > 0) parts.push(t.more(format.number(more)))
  return parts.join(matchType === 'ANY_MATCH_TYPE' ? t.or : t.and)
}

/** The sentence as one text. */
export function plain({ property, operator, value }: ConstraintSentence): string {
  return [property, operator, value].filter((part) => part !== undefined).join(' ')
}
