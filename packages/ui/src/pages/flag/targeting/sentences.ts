import type { Format } from '../../../text/format.ts'
import type { Segments } from '../segments.ts'
import { givesOn } from './rollouts.ts'
import { onlyVariantOf } from './split.ts'
import { isForAll, isRollout, type Step, segmentsOf } from './steps.ts'
import type { TargetingTexts } from './texts.ts'

/** A step in one line, such as `If in Beta users or Staff, serve On`. */
export function sayStep(
  step: Step,
  t: TargetingTexts,
  format: Format,
  nameOf: Segments['nameOf'],
): string {
  const serves = sayServes(step, t, format)
  const segments = segmentsOf(step)
  if (segments === undefined) {
    const percentage = isRollout(step) ? (step.threshold?.percentage ?? 0) : 0
    return t.sayFor(format.exactShare(percentage), serves)
  }
  const names = segments.map(nameOf)
  const whom = isForAll(step) ? format.list(names) : format.choice(names)
  return t.sayIfIn(whom || t.noEntity, serves)
}

function sayServes(step: Step, t: TargetingTexts, { exactShare: share, list }: Format): string {
  if (isRollout(step)) return givesOn(step) ? t.on : t.off
  const only = onlyVariantOf(step)
  if (only !== undefined) return only
  return list(step.distributions.map(({ variant, rollout }) => `${variant} ${share(rollout)}`))
}

/** What a step is called in a sentence, and at its beginning. */
export function nameStep(
  step: Step,
  place: number,
  t: TargetingTexts,
  { number }: Format,
): { readonly inside: string; readonly first: string } {
  const text = number(place + 1)
  return isRollout(step)
    ? { inside: t.rollout(text), first: t.Rollout(text) }
    : { inside: t.rule(text), first: t.Rule(text) }
}
