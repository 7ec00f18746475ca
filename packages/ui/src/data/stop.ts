import type { FlagDocument, RolloutDocument, RolloutDocumentInput } from '@svc/client/api'

/** What the rollout says that *Stop* makes, in every language: it is known again by it. */
const stopDescription = 'Stopped: everyone gets Off'

/** Whether it is the rollout that *Stop* has made. One that was made by hand is another. */
function isStop({ description, threshold }: RolloutDocumentInput): boolean {
  return (
    description === stopDescription && threshold?.percentage === 100 && threshold.value !== true
  )
}

/** The rollout that *Stop* has made, wherever it stands. */
export function stopOf({ rollouts }: Pick<FlagDocument, 'rollouts'>): RolloutDocument | undefined {
  return rollouts.find(isStop)
}

/** With a rollout of 100% Off on top, which answers before all others. */
export function withStop(
  rollouts: readonly RolloutDocumentInput[],
): readonly RolloutDocumentInput[] {
  const threshold = { percentage: 100, value: false }
  return [{ description: stopDescription, threshold }, ...withoutStop(rollouts)]
}

/** Without the rollout that *Stop* has made, and no other: those that were added since stay. */
export function withoutStop<R extends RolloutDocumentInput>(rollouts: readonly R[]): readonly R[] {
  return rollouts.filter((rollout) => !isStop(rollout))
}
