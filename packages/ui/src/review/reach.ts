import type { RolloutDocument } from '@svc/client/api'

/** Buckets of a percentage are thousandths of a per cent. */
const bucketsPerPercent = 1000

/** A percentage as buckets have it, of 0 to 100. */
export function toPercentage(value: number): number {
  const inside = Math.min(100, Math.max(0, value))
  return Math.round(inside * bucketsPerPercent) / bucketsPerPercent
}

/** What a percentage of a flag reaches. All of them use one bucket, so what is below was answered before. */
export interface Reach {
  /** Buckets from 0 up to this were answered by percentages before, in per cent. */
  readonly taken: number
  /** The buckets that it answers, in per cent. */
  readonly adds: number
  /** Whether a segment before it has everyone in it. */
  readonly isAllTaken: boolean
  /** Whether segments alone are before it: then it is a part of the rest. */
  readonly isOfRest: boolean
}

/**
 * @param isForEveryone whether all entities are in a segment: then none is left for what comes after
 * @returns by the id of the rollout, of percentages only
 */
export function reachOf(
  rollouts: readonly RolloutDocument[],
  isForEveryone: (segmentKey: string) => boolean,
): ReadonlyMap<string, Reach> {
  const reaches = reachesOf(rollouts, isForEveryone)
  return new Map(
    rollouts.flatMap(({ id }, place) => {
      const reach = reaches[place]
      return reach === undefined ? [] : [[id, reach] as const]
    }),
  )
}

/** @returns by the place of the rollout, of percentages only */
export function reachesOf(
  rollouts: readonly RolloutDocument[],
  isForEveryone: (segmentKey: string) => boolean,
): readonly (Reach | undefined)[] {
  let taken = 0
  let isAllTaken = false
  let hasSegments = false
  return rollouts.map(({ segment, threshold }) => {
    if (threshold !== undefined) {
      const percentage = toPercentage(threshold.percentage)
      const adds = toPercentage(percentage - taken)
      const reach = { taken, adds, isAllTaken, isOfRest: hasSegments && taken === 0 }
      taken = Math.max(taken, percentage)
      return reach
    }
    if (segment === undefined) return undefined
    hasSegments = true
    if (answersEveryone(segment, isForEveryone)) {
      taken = 100
      isAllTaken = true
    }
    return undefined
  })
}

export function answersEveryone(
  { segments, operator }: NonNullable<RolloutDocument['segment']>,
  isForEveryone: (segmentKey: string) => boolean,
): boolean {
  if (segments.length === 0) return false
  return operator === 'AND_SEGMENT_OPERATOR'
    ? segments.every(isForEveryone)
    : segments.some(isForEveryone)
}
