import type { FlagDocument, RolloutDocument } from '@svc/client/api'
import { toPercentage } from '../../../review/reach.ts'
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
