import type { FlagDocument, RolloutDocument } from '@svc/client/api'

/** Per cent of all, at least and at most: the two differ where it depends on who is in which segment. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** What a change of a boolean flag does to people, as far as that follows from its rollouts. */
export interface BooleanEffect {
  readonly onBefore: Range
  readonly onAfter: Range
  /** Who had On and has it no more. */
  readonly loses: Range
  readonly gains: Range
}

type BooleanFlag = Pick<FlagDocument, 'enabled' | 'rollouts'>

/** Above this many segments there are too many ways to be in some of them. */
const maxSegments = 10

/**
 * Goes through every way to be in segments, and through every place of the bucket.
 *
 * @param isForEveryone whether a segment has no constraints
 * @returns nothing when there are too many segments
 */
export function booleanEffect(
  before: BooleanFlag,
  after: BooleanFlag,
  isForEveryone: (segmentKey: string) => boolean,
): BooleanEffect | undefined {
  const rollouts = [...before.rollouts, ...after.rollouts]
  const keys = new Set(rollouts.flatMap(({ segment }) => segment?.segments ?? []))
  const free = [...keys].filter((key) => !isForEveryone(key))
  if (free.length > maxSegments) return undefined
  const bounds = rollouts.flatMap(({ threshold }) => threshold?.percentage ?? [])
  const places = [...new Set([0, ...bounds])].filter((place) => place < 100).sort((a, b) => a - b)
  const always = [...keys].filter(isForEveryone)
  const sums = Array.from({ length: 2 ** free.length }, (_, way) => {
    const members = new Set([...always, ...free.filter((_, bit) => (way & (1 << bit)) !== 0)])
    const sum = { onBefore: 0, onAfter: 0, loses: 0, gains: 0 }
    for (const [index, place] of places.entries()) {
      const width = (places[index + 1] ?? 100) - place
      const was = answerOf(before, place, members)
      const is = answerOf(after, place, members)
      if (was) sum.onBefore += width
      if (is) sum.onAfter += width
      if (was && !is) sum.loses += width
      if (is && !was) sum.gains += width
    }
    return sum
  })
  const rangeOf = (name: keyof BooleanEffect): Range => {
    const values = sums.map((sum) => sum[name])
    return { min: Math.min(...values), max: Math.max(...values) }
  }
  return {
    onBefore: rangeOf('onBefore'),
    onAfter: rangeOf('onAfter'),
    loses: rangeOf('loses'),
    gains: rangeOf('gains'),
  }
}

/** A range of one value. */
export function shareOf({ min, max }: Range): number | undefined {
  return max - min < 1e-6 ? min : undefined
}

/** @param place of the bucket, in per cent; @param members the segments that it is in */
export function answerOf(flag: BooleanFlag, place: number, members: ReadonlySet<string>): boolean {
  const hit = flag.rollouts.find((rollout) => isHit(rollout, place, members))
  return hit?.segment?.value ?? hit?.threshold?.value ?? flag.enabled
}

function isHit(
  { segment, threshold }: RolloutDocument,
  place: number,
  members: ReadonlySet<string>,
): boolean {
  if (threshold !== undefined) return place < threshold.percentage
  if (segment === undefined) return false
  const isIn = (key: string) => members.has(key)
  return segment.operator === 'AND_SEGMENT_OPERATOR'
    ? segment.segments.every(isIn)
    : segment.segments.some(isIn)
}
