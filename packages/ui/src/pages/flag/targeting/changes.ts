import type { FlagDocument } from '@svc/client/api'
import { isEqual } from '../../../data/draft.ts'
import { defaultOf, gapOf } from './split.ts'
import { isBoolean, isRollout, type Step, segmentsOf, stepsOf } from './steps.ts'

/** A line of the rail: a step as the draft has it, or one that the draft has taken out. */
export interface Line {
  readonly step: Step
  readonly state: 'clean' | 'edited' | 'added' | 'removed'
  /** What it was before the draft. */
  readonly was?: Step | undefined
  /** Its place among those that there are, from 0; nothing for one that was taken out. */
  readonly place?: number
  /** Where it stood, from 0, of one that was moved. */
  readonly movedFrom?: number
}

/** The steps of a draft in their order, and those that were taken out where they stood. */
export function linesOf(base: FlagDocument, draft: FlagDocument): readonly Line[] {
  const [before, now] = [stepsOf(base), stepsOf(draft)]
  const present = new Set(now.map(({ id }) => id))
  const moved = movedOf(base, draft)
  const lines = now.map((step, place): Line => {
    const was = before.find(({ id }) => id === step.id)
    if (was === undefined) return { step, state: 'added', place }
    const isMoved = moved.has(step.id)
    return {
      step,
      state: isMoved || !isEqual(was, step) ? 'edited' : 'clean',
      was,
      place,
      ...(isMoved && { movedFrom: before.indexOf(was) }),
    }
  })
  let anchor: string | undefined
  for (const step of before) {
    if (!present.has(step.id)) {
      const after = lines.findIndex((line) => line.step.id === anchor)
      lines.splice(after + 1, 0, { step, state: 'removed' })
    }
    anchor = step.id
  }
  return lines
}

/** What a person has changed, as a person counts. */
export function countChanges(base: FlagDocument, draft: FlagDocument): number {
  const steps = linesOf(base, draft).filter(({ state }) => state !== 'clean')
  return steps.length + (isElseChanged(base, draft) ? 1 : 0) + (isTurned(base, draft) ? 1 : 0)
}

/** Whether those get something else whom no step answers. */
export function isElseChanged(base: FlagDocument, draft: FlagDocument): boolean {
  return isBoolean(base) ? base.enabled !== draft.enabled : defaultOf(base) !== defaultOf(draft)
}

/** Whether a flag with variants is enabled or disabled by it. */
function isTurned(base: FlagDocument, draft: FlagDocument): boolean {
  return !isBoolean(base) && base.enabled !== draft.enabled
}

/** The ids of the fewest steps that have to be moved to come from one order to the other. */
export function movedOf(base: FlagDocument, draft: FlagDocument): ReadonlySet<string> {
  const order = stepsOf(base).map(({ id }) => id)
  const kept = stepsOf(draft)
    .map(({ id }) => id)
    .filter((id) => order.includes(id))
  const stay = longestRising(kept.map((id) => order.indexOf(id)))
  return new Set(kept.filter((_, place) => !stay.has(place)))
}

/** @returns the places of one of the longest series of rising numbers */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  const best: { readonly length: number; readonly before: number }[] = []
  let end = -1
  numbers.forEach((number, place) => {
    let [length, before] = [1, -1]
    for (let one = 0; one < place; one++) {
      const { length: other = 0 } = best[one] ?? {}
      if ((numbers[one] ?? 0) < number && other + 1 > length) [length, before] = [other + 1, one]
    }
    best.push({ length, before })
    if (length > (best[end]?.length ?? 0)) end = place
  })
  const places = new Set<number>()
  for (; end !== -1; end = best[end]?.before ?? -1) places.add(end)
  return places
}

/** The segments that a step did not have before. */
export function newSegmentsOf(step: Step, was: Step | undefined): ReadonlySet<string> {
  const before = was === undefined ? [] : (segmentsOf(was) ?? [])
  return new Set((segmentsOf(step) ?? []).filter((key) => !before.includes(key)))
}

/** What keeps a draft from being saved. */
export type Problem =
  | { readonly kind: 'no-segment'; readonly id: string; readonly place: number }
  | { readonly kind: 'over'; readonly id: string; readonly place: number; readonly by: number }

export function problemsOf(flag: FlagDocument): readonly Problem[] {
  return stepsOf(flag).flatMap((step, place): Problem[] => {
    if (segmentsOf(step)?.length === 0) return [{ kind: 'no-segment', id: step.id, place }]
    if (isRollout(step)) return []
    const gap = gapOf(step.distributions)
    return gap < 0 ? [{ kind: 'over', id: step.id, place, by: -gap }] : []
  })
}
