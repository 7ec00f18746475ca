import type { FlagDocument, RolloutDocument, RuleDocument } from '@svc/client/api'

/** What is asked in its turn: a rollout of a boolean flag, or a rule of one with variants. */
export type Step = RolloutDocument | RuleDocument

export function isBoolean({ type }: Pick<FlagDocument, 'type'>): boolean {
  return type === 'BOOLEAN_FLAG_TYPE'
}

export function isRollout(step: Step): step is RolloutDocument {
  return !('distributions' in step)
}

/** The first one is asked first. */
export function stepsOf(flag: FlagDocument): readonly Step[] {
  return isBoolean(flag) ? flag.rollouts : flag.rules
}

export function withSteps(flag: FlagDocument, steps: readonly Step[]): FlagDocument {
  return isBoolean(flag)
    ? { ...flag, rollouts: steps.filter(isRollout) }
    : { ...flag, rules: steps.filter((step): step is RuleDocument => !isRollout(step)) }
}

/** The segments that it is for; nothing for a percentage. */
export function segmentsOf(step: Step): readonly string[] | undefined {
  return isRollout(step) ? step.segment?.segments : step.segments
}

/** Whether all of its segments have to match. */
export function isForAll(step: Step): boolean {
  const operator = isRollout(step) ? step.segment?.operator : step.operator
  return operator === 'AND_SEGMENT_OPERATOR'
}

/** A new id. The service keeps those that it does not know for what is new. */
export function newId(): string {
  // `crypto.randomUUID` is not there on pages without TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function editStep<S extends Step>(
  flag: FlagDocument,
  id: string,
  change: (step: S) => S,
): FlagDocument {
  return withSteps(
    flag,
    // An edit of a step has seen of which kind it is.
    stepsOf(flag).map((step) => (step.id === id ? change(step as S) : step)),
  )
}

export function addStep(flag: FlagDocument, step: Step): FlagDocument {
  return withSteps(flag, [...stepsOf(flag), step])
}

export function removeStep(flag: FlagDocument, id: string): FlagDocument {
  return withSteps(
    flag,
    stepsOf(flag).filter((step) => step.id !== id),
  )
}

/** Puts a step back that was removed, after the nearest one before it that is still there. */
export function restoreStep(flag: FlagDocument, base: FlagDocument, id: string): FlagDocument {
  const was = stepsOf(base)
  const place = was.findIndex((step) => step.id === id)
  const step = was[place]
  const steps = stepsOf(flag)
  if (step === undefined || steps.some((one) => one.id === id)) return flag
  const before = was.slice(0, place).map((one) => one.id)
  const after = steps.findLastIndex((one) => before.includes(one.id))
  return withSteps(flag, steps.toSpliced(after + 1, 0, step))
}

/** @param to the place that it has then, from 0; one outside is the nearest inside */
export function moveStep(flag: FlagDocument, id: string, to: number): FlagDocument {
  const steps = stepsOf(flag)
  const step = steps.find((one) => one.id === id)
  if (step === undefined) return flag
  const rest = steps.filter((one) => one.id !== id)
  return withSteps(flag, rest.toSpliced(Math.max(0, Math.min(to, rest.length)), 0, step))
}

/** A copy below the step. */
export function copyStep(flag: FlagDocument, id: string): FlagDocument {
  const steps = stepsOf(flag)
  const place = steps.findIndex((step) => step.id === id)
  const step = steps[place]
  if (step === undefined) return flag
  const copy: Step = isRollout(step)
    ? { ...step, id: newId() }
    : {
        ...step,
        id: newId(),
        distributions: step.distributions.map((one) => ({ ...one, id: newId() })),
      }
  return withSteps(flag, steps.toSpliced(place + 1, 0, copy))
}

export function setSegments(
  flag: FlagDocument,
  id: string,
  segments: readonly string[],
): FlagDocument {
  return editStep(flag, id, (step) => {
    if (!isRollout(step)) return { ...step, segments }
    return step.segment === undefined ? step : { ...step, segment: { ...step.segment, segments } }
  })
}

/** AND becomes OR, and OR becomes AND, for the whole step. */
export function turnOperator(flag: FlagDocument, id: string): FlagDocument {
  return editStep(flag, id, (step) => {
    const operator = isForAll(step) ? 'OR_SEGMENT_OPERATOR' : 'AND_SEGMENT_OPERATOR'
    if (!isRollout(step)) return { ...step, operator }
    return step.segment === undefined ? step : { ...step, segment: { ...step.segment, operator } }
  })
}

/** What a boolean flag gives where no rollout answers, or whether one with variants is evaluated. */
export function setEnabled(flag: FlagDocument, enabled: boolean): FlagDocument {
  return { ...flag, enabled }
}
