import type { ConstraintDocument, SegmentDocument } from '@svc/client/api'
import { needsProperty } from '../constraints/kinds.ts'
import { tellConstraint, type Words } from './describe.ts'
import { type Pair, pairUp, placeOf } from './elements.ts'
import { tellChange, tellWords } from './flag-sentences.ts'
import { clean, deleted, inserted } from './marked.tsx'
import { attention, fact, type Sentence, type Told } from './sentences.ts'

/** The changes of a segment. */
export function tellSegment(
  base: SegmentDocument,
  present: SegmentDocument,
  words: Words,
): readonly Sentence[] {
  const { t } = words
  const isAll = present.matchType === 'ALL_MATCH_TYPE'
  const matching: Sentence = {
    path: 'matchType',
    kind: 'changed',
    titles: [isAll ? t.matchAll : t.matchAny],
    effects: [],
  }
  return [
    ...tellWords(base, present, words),
    ...(base.matchType === present.matchType ? [] : [matching]),
    ...pairUp(base.constraints, present.constraints)
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .flatMap((pair) => tellOne(pair, words)),
  ]
}

function tellOne(pair: Pair<ConstraintDocument>, words: Words): readonly Sentence[] {
  const { t, format } = words
  const { before, after, from, to, isMoved } = pair
  const number = (place: number) => t.constraint(format.number(place + 1))
  const path = `constraints ${(after ?? before)?.id ?? ''} ${to}`
  if (after === undefined) {
    if (before === undefined) return []
    const body = deleted(tellConstraint(before, words))
    return [{ path, kind: 'removed', titles: [t.isRemoved(number(from))], body, effects: [] }]
  }
  const text = tellConstraint(after, words)
  const effects = needs(after, words)
  if (before === undefined)
    return [{ path, kind: 'added', titles: [t.isNew(number(to))], body: inserted(text), effects }]
  const isEdited = (['type', 'property', 'operator', 'value'] as const).some(
    (name) => before[name] !== after[name],
  )
  const titles = [
    ...(isMoved ? [t.becomes(number(from), number(to))] : []),
    ...(isEdited ? [t.changes(number(to))] : []),
    ...(before.description === after.description ? [] : [t.describedAnew(number(to))]),
  ]
  if (titles.length === 0) return []
  const body = isEdited ? constraintChange(before, after, words) : text
  const kind = isMoved && titles.length === 1 ? 'moved' : 'changed'
  return [{ path, kind, titles, body, effects: isEdited ? effects : [] }]
}

/** Long lists of values read alike when only their number is said: then the values that differ are. */
function constraintChange(
  before: ConstraintDocument,
  after: ConstraintDocument,
  words: Words,
): string {
  const [was, is] = [tellConstraint(before, words), tellConstraint(after, words)]
  const isList = before.operator === after.operator && /^is(?:not)?oneof$/.test(after.operator)
  if (before.property !== after.property || !isList) return tellChange(was, is)
  const [old, now] = [valuesOf(before.value), valuesOf(after.value)]
  if (old === undefined || now === undefined) return tellChange(was, is)
  const gone = old.filter((value) => !now.includes(value))
  const come = now.filter((value) => !old.includes(value))
  const kept = now.length - come.length
  const some = (values: readonly string[]) =>
    words.format.list([
      ...values.slice(0, maxValues).map(clean),
      ...(values.length > maxValues
        ? [words.c.more(words.format.number(values.length - maxValues))]
        : []),
    ])
  return [
    `${clean(after.property)} ${words.c.operators[after.operator as 'isoneof']}`,
    ...(kept > 0 ? [words.c.values(words.format.number(kept))] : []),
    ...(gone.length > 0 ? [deleted(some(gone))] : []),
    ...(come.length > 0 ? [inserted(some(come))] : []),
  ].join(' ')
}

/** Values that come or go and are named; more are a number. */
const maxValues = 12

function valuesOf(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value.map(String) : undefined
  } catch {
    return undefined
  }
}

function needs(constraint: ConstraintDocument, { t }: Words): readonly Told[] {
  return needsProperty(constraint) ? [fact(t.negationNeeds(clean(constraint.property)))] : []
}

/** Who comes in and who goes out, as far as that follows from which constraints there are. */
export function memberEffect(
  base: SegmentDocument,
  present: SegmentDocument,
  { t }: Words,
): readonly Told[] {
  if (present.constraints.length === 0)
    return base.constraints.length === 0 ? [] : [attention(t.matchesEveryone)]
  if (base.constraints.length === 0) return [fact(t.onlyInside)]
  if (base.matchType !== present.matchType) {
    const isLess = present.matchType === 'ALL_MATCH_TYPE'
    const isSame = includesAll(base, present) && includesAll(present, base)
    return isSame ? [fact(isLess ? t.onlyInside : t.onlyOutside)] : []
  }
  const isAll = present.matchType === 'ALL_MATCH_TYPE'
  const [more, fewer] = [includesAll(present, base), includesAll(base, present)]
  if (more === fewer) return []
  return [fact(more === isAll ? t.onlyInside : t.onlyOutside)]
}

/** Whether one has every constraint of the other. */
function includesAll(one: SegmentDocument, other: SegmentDocument): boolean {
  const texts = new Set(one.constraints.map(textOf))
  return other.constraints.every((constraint) => texts.has(textOf(constraint)))
}

function textOf({ type, property, operator, value }: ConstraintDocument): string {
  return JSON.stringify([type, property, operator, value])
}
