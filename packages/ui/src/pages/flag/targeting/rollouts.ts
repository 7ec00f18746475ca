import type { FlagDocument, RolloutDocument } from '@svc/client/api'
import { addStep, editStep, newId } from './steps.ts'

/** A rollout of segments that gives On. */
export function segmentRollout(segmentKey: string): RolloutDocument {
  const segment = {
    segments: [segmentKey],
    operator: 'OR_SEGMENT_OPERATOR',
    value: true,
  } as const
  return { id: newId(), description: '', segment }
}

export function percentageRollout(percentage: number, value = true): RolloutDocument {
  return { id: newId(), description: '', threshold: { percentage, value } }
}

/** What a new percentage begins with: more than those before it have taken. */
export function nextPercentage({ rollouts }: Pick<FlagDocument, 'rollouts'>): number {
  const taken = Math.max(0, ...rollouts.map(({ threshold }) => threshold?.percentage ?? 0))
  return [25, 50, 75].find((one) => one > taken) ?? 100
}

export function addPercentage(flag: FlagDocument, percentage: number): FlagDocument {
  return addStep(flag, percentageRollout(percentage))
}

export function setPercentage(flag: FlagDocument, id: string, percentage: number): FlagDocument {
  return editStep<RolloutDocument>(flag, id, (rollout) =>
    rollout.threshold === undefined
      ? rollout
      : { ...rollout, threshold: { ...rollout.threshold, percentage: toPercentage(percentage) } },
  )
}

export function setValue(flag: FlagDocument, id: string, value: boolean): FlagDocument {
  return editStep<RolloutDocument>(flag, id, (rollout) => {
    const { segment, threshold } = rollout
    return {
      ...rollout,
      ...(segment && { segment: { ...segment, value } }),
      ...(threshold && { threshold: { ...threshold, value } }),
    }
  })
}

export function describeRollout(flag: FlagDocument, id: string, description: string): FlagDocument {
  return editStep<RolloutDocument>(flag, id, (rollout) => ({ ...rollout, description }))
}

export function givesOn({ segment, threshold }: RolloutDocument): boolean {
  return (segment ?? threshold)?.value ?? false
}

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
}

/**
 * @param isForEveryone whether all entities are in a segment: then none is left for what comes after
 * @returns by the id of the rollout, of percentages only
 */
export function reachOf(
  rollouts: readonly RolloutDocument[],
  isForEveryone: (segmentKey: string) => boolean,
): ReadonlyMap<string, Reach> {
  const reach = new Map<string, Reach>()
  let taken = 0
  let isAllTaken = false
  for (const { id, segment, threshold } of rollouts) {
    if (threshold !== undefined) {
      const percentage = toPercentage(threshold.percentage)
      reach.set(id, { taken, adds: toPercentage(percentage - taken), isAllTaken })
      taken = Math.max(taken, percentage)
    } else if (segment !== undefined && answersEveryone(segment, isForEveryone)) {
      taken = 100
      isAllTaken = true
    }
  }
  return reach
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
