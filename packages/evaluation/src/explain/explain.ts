import { type Context, toEntity } from '../entity.ts'
import type { FlagRecord, SegmentRecord } from '../records.ts'
import { stepsOfBoolean } from './boolean-flag.ts'
import { Budget, ExplanationTooLongError } from './budget.ts'
import type { Explanation, Note, Outcome } from './explanation.ts'
import { notes } from './notes.ts'
import { SegmentFindings } from './segments.ts'
import type { FlagSteps, StepFinding } from './steps.ts'
import { stepsOfVariant } from './variant-flag.ts'

export { ExplanationTooLongError } from './budget.ts'
export type { Explanation } from './explanation.ts'

export interface ExplainQuestion {
  readonly namespaceKey: string
  /** Of the namespace that the records are of. */
  readonly revision: number
  readonly flag: FlagRecord
  /** Of the namespace, by their keys. */
  readonly segments: ReadonlyMap<string, SegmentRecord>
  readonly entityId: string
  readonly context: Context
}

/**
 * Tells what a flag serves to an entity, and why. Value, reason and segments are the engine's. It
 * uses the engine's predicates and places, and walks the rules by itself: compiled flags keep no
 * operands. The same question has the same answer, to the byte of its JSON.
 *
 * @throws {ExplanationTooLongError} when what is on the way to the answer takes more than 4 MiB
 */
export function explain(question: ExplainQuestion): Explanation {
  const { flag, segments, entityId, context } = question
  const budget = new Budget()
  const entity = toEntity(entityId, context)
  const subject = { flag, entity, segments: new SegmentFindings(segments, entity, budget) }
  const isBoolean = flag.type === 'BOOLEAN_FLAG_TYPE'
  const steps = isBoolean ? stepsOfBoolean(subject) : stepsOfVariant(subject)
  const reached = walk(steps, budget)
  const head = headOf(question, reached.outcome)
  budget.take(head)
  const ahead = lookAhead(steps, reached.findings.length, budget)
  const findings = [...reached.findings, ...ahead.findings]
  return {
    ...head,
    steps: findings.map(({ step }) => step),
    decidedBy: reached.decidedBy,
    notes: [
      ...notesOfFlag(question, reached),
      ...findings.flatMap((finding) => finding.notes),
      ...ahead.notes,
    ],
  }
}

/** The steps that were reached, and what came of them. */
interface Reached {
  readonly findings: readonly StepFinding[]
  readonly outcome: Outcome
  readonly decidedBy: number
}

function walk({ finders, areTried, otherwise }: FlagSteps, budget: Budget): Reached {
  const findings: StepFinding[] = []
  for (const [index, find] of areTried ? finders.entries() : []) {
    const finding = find(index + 1)
    count(finding, budget)
    findings.push(finding)
    const { outcome } = finding
    if (outcome !== undefined) return { findings, outcome, decidedBy: index + 1 }
  }
  return { findings, outcome: otherwise, decidedBy: 0 }
}

/**
 * The steps that were not reached, as many as there is room for.
 *
 * @param reached how many were
 */
function lookAhead({ finders, name }: FlagSteps, reached: number, budget: Budget) {
  const findings: StepFinding[] = []
  try {
    for (const find of finders.slice(reached)) {
      const { step, ...others } = find(reached + findings.length + 1)
      const verdict = 'NOT_REACHED_VERDICT' as const
      const finding = { ...others, step: { ...step, verdict } }
      count(finding, budget)
      findings.push(finding)
    }
  } catch (error) {
    if (!(error instanceof ExplanationTooLongError)) throw error
    const first = reached + findings.length
    const note = notes.stepsLeftOut(first + 1, name, finders.length - first)
    return { findings, notes: [note] }
  }
  return { findings, notes: [] }
}

/** Counts a step but for its segments, which are counted when they are looked at. */
function count({ step, notes }: StepFinding, budget: Budget): void {
  budget.take({ ...step, segments: [] })
  for (const note of notes) budget.take(note)
}

function headOf({ namespaceKey, revision, flag, entityId }: ExplainQuestion, outcome: Outcome) {
  return {
    namespaceKey,
    flagKey: flag.key,
    entityId,
    revision,
    algorithm: 1 as const,
    type:
      flag.type === 'BOOLEAN_FLAG_TYPE'
        ? ('BOOLEAN_FLAG_TYPE' as const)
        : ('VARIANT_FLAG_TYPE' as const),
    enabled: flag.enabled,
    ...outcome,
  }
}

/** The notes about the flag as a whole and the entity. */
function notesOfFlag(
  { flag, entityId }: ExplainQuestion,
  { outcome, decidedBy }: Reached,
): readonly Note[] {
  const { boolean, variant } = outcome
  const isOverruled = boolean !== undefined && boolean.enabled !== flag.enabled
  return [
    ...(variant !== undefined && !flag.enabled ? [notes.flagDisabled()] : []),
    ...(isOverruled ? [notes.stateOverruled(decidedBy, flag.enabled)] : []),
    ...(entityId === '' ? [notes.noEntity()] : []),
    ...(variant?.variantKey === '' ? [notes.noDefault()] : []),
  ]
}
