import { distributionPlaces } from '../bucket.ts'
import type { Note, NoteKind, SegmentFinding } from './explanation.ts'

const placesPerPercent = distributionPlaces / 100

/** With {@link missingSegments} the closed list of what explanations remark. */
export const notes = {
  flagDisabled: () => note('FLAG_DISABLED_NOTE', 0, 'the flag is off: its rules are not tried'),

  /** @param enabled the flag's own state, which is not what is served */
  stateOverruled: (place: number, enabled: boolean) => {
    const text = `rollout ${place} serves ${!enabled} in place of the flag's own state, ${enabled}`
    return note('STATE_OVERRULED_NOTE', place, text)
  },

  noEntity: () =>
    note(
      'NO_ENTITY_NOTE',
      0,
      'no targeting key: the entity is empty, and all that are have the same place',
    ),

  missingVariant: (place: number) =>
    note(
      'MISSING_VARIANT_NOTE',
      place,
      `rule ${place} has a share of a variant that does not exist: the default is served there`,
    ),

  /** @param bound the first place after all shares */
  sharesEnd: (place: number, bound: number) => {
    const end = bound / placesPerPercent
    const rest = (distributionPlaces - bound) / placesPerPercent
    const text = `the shares of rule ${place} end at ${end} %: ${rest} % fall beyond`
    return note('SHARES_END_NOTE', place, text)
  },

  noShares: (place: number) =>
    note('NO_SHARES_NOTE', place, `rule ${place} has no shares: it serves the default variant`),

  noDefault: () => note('NO_DEFAULT_NOTE', 0, 'the flag has no default variant: nothing is served'),

  /** @param place of the first step that is left out */
  stepsLeftOut: (place: number, step: string, count: number) => {
    const text = `an explanation has 4 MiB at most: ${count} from ${step} ${place} on are left out`
    return note('STEPS_LEFT_OUT_NOTE', place, text)
  },
} satisfies Readonly<Record<string, (...parts: never[]) => Note>>

/**
 * A note for each segment of a rule or rollout that does not exist.
 *
 * @param step `rule` or `rollout`
 */
export function missingSegments(
  place: number,
  step: string,
  segments: readonly SegmentFinding[],
): readonly Note[] {
  return segments
    .filter(({ exists }) => !exists)
    .map(({ key }) => {
      const text = `segment "${key}" does not exist: ${step} ${place} never matches`
      return note('MISSING_SEGMENT_NOTE', place, text)
    })
}

function note(kind: NoteKind, place: number, text: string): Note {
  return { kind, place, text }
}
