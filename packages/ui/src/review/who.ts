import type { SegmentOperator } from '@svc/client/api'
import { isEqual } from '../data/draft.ts'
import { isForEveryone, nameOfSegment, tellSegments, type Words } from './describe.ts'
import { attention, type Told } from './sentences.ts'

interface Who {
  readonly segments: readonly string[]
  readonly operator: SegmentOperator
}

/** What changes in the segments of a rule. */
export function titlesOfWho(
  before: Who,
  after: Who,
  what: string,
  words: Words,
): readonly string[] {
  const { t } = words
  const come = after.segments.filter((key) => !before.segments.includes(key))
  const go = before.segments.filter((key) => !after.segments.includes(key))
  const names = (keys: readonly string[]) => tellSegments(keys, 'AND_SEGMENT_OPERATOR', words)
  const isSame = isEqual(before.segments.toSorted(), after.segments.toSorted())
  const isOther = come.length > 0 && go.length > 0
  // With one segment it makes no difference how they are joined.
  const isTurned = before.operator !== after.operator && after.segments.length > 1
  return [
    ...(isSame || !isOther ? [] : [t.otherSegments(what)]),
    ...(come.length > 0 && !isOther ? [t.alsoTakes(what, names(come))] : []),
    ...(go.length > 0 && !isOther ? [t.noLongerTakes(what, names(go))] : []),
    ...(isTurned
      ? [after.operator === 'AND_SEGMENT_OPERATOR' ? t.asksAll(what) : t.asksAny(what)]
      : []),
  ]
}

/** Segments that come in and match everyone. */
export function everyoneNotes(
  after: Who | undefined,
  before: Who | undefined,
  words: Words,
): readonly Told[] {
  return (after?.segments ?? [])
    .filter((key) => before?.segments.includes(key) !== true && isForEveryone(key, words))
    .map((key) => attention(words.t.segmentForEveryone(nameOfSegment(key, words))))
}
