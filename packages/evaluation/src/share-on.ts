import { thresholdPlaces, thresholdWidth } from './bucket.ts'

/** What the share of a boolean flag depends on in one of its rollouts. */
export interface ShareRollout {
  readonly value: boolean
  /** Of a threshold; a rollout without one is for segments. */
  readonly percentage?: number | undefined
  /** Whether its segments hold for every entity. */
  readonly isForEveryone?: boolean | undefined
}

/**
 * The share of all entities that a boolean flag is on for, in per cent. All thresholds of a flag use the same
 * bucket, so a later one adds only the places beyond those before it.
 *
 * @param enabled the value when no rollout applies
 * @param rollouts by rank
 * @returns `undefined` where the share depends on which entities belong to a segment
 */
export function shareOn(enabled: boolean, rollouts: readonly ShareRollout[]): number | undefined {
  let taken = 0
  let placesOn = 0
  /** What segments before this may have answered: any share of each place. */
  const maybe = new Set<boolean>()
  for (const { value, percentage, isForEveryone } of [
    ...rollouts,
    { value: enabled, isForEveryone: true },
  ]) {
    if (percentage === undefined && !isForEveryone) {
      maybe.add(value)
      continue
    }
    const bound = percentage === undefined ? thresholdPlaces : thresholdWidth(percentage)
    if (bound <= taken) continue
    if (maybe.has(!value)) return undefined
    if (value) placesOn += bound - taken
    taken = bound
    if (taken === thresholdPlaces) break
  }
  return (placesOn * 100) / thresholdPlaces
}
