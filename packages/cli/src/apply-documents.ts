import type { NamespaceOperations, NamespacePlan, PlannedApply } from '@svc/documents/files'
import type { Context } from './context.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { type Outcome, type OutcomeOfNamespace, tellOutcome, withLive } from './outcome.ts'

/** What a command was told about its plan. */
export interface PlanChoice {
  readonly dryRun: boolean
  readonly exitCode: boolean
  readonly plan: string | undefined
}

/** Plans operations, and shows how far that is. */
export async function planOperations(
  { api, comment, progress, signal }: Context,
  changes: readonly NamespaceOperations[],
): Promise<PlannedApply> {
  const { planApply } = await import('@svc/documents/files')
  return progress.show('planning', (update) => {
    const onProgress = ({ step, done, total }: { step: string; done: number; total: number }) =>
      update(`${step} ${done} of ${total}`)
    return planApply(api, changes, { comment, signal, onProgress })
  })
}

/**
 * Does what was planned, or shows it.
 *
 * @param plan names all of it
 * @param more what `--json` prints besides
 * @returns what the process ends with
 */
export async function applyOrShow(
  context: Context,
  planned: PlannedApply,
  plan: string,
  choice: PlanChoice,
  more: object = {},
) {
  try {
    checkPlan(plan, choice)
  } catch (error) {
    await planned.discard()
    throw error
  }
  if (choice.dryRun) {
    await planned.discard()
    return tellOutcome(
      context,
      { isDryRun: true, plan, namespaces: planned.plans, ...more },
      choice,
    )
  }
  const namespaces = await applyPlanned(context, planned)
  const outcome: Outcome = { isDryRun: false, plan, namespaces, ...more }
  return tellOutcome(context, outcome)
}

/** @throws {CliError} when another plan was asked for */
export function checkPlan(plan: string, { plan: expected, dryRun }: PlanChoice): void {
  if (expected === undefined || expected === plan || dryRun) return
  throw new CliError(
    exitCodes.conflict,
    `the plan is another one now: ${plan}`,
    'Something has changed since it was made. Look at it with --dry-run, and decide anew.',
  )
}

/** Applies a plan that changes something, and waits until the gateways have it. */
export async function applyPlanned(
  context: Context,
  planned: PlannedApply,
): Promise<readonly OutcomeOfNamespace[]> {
  const { progress } = context
  if (planned.plans.every(isEmpty)) {
    await planned.discard()
    return planned.plans
  }
  const applied = await progress.show('applying', async () => planned.apply())
  const revisions = new Map(applied.map(({ namespaceKey, revision }) => [namespaceKey, revision]))
  return Promise.all(
    planned.plans.map((one) => {
      const revision = revisions.get(one.namespaceKey)
      return revision === undefined ? one : withLive(context, one, revision)
    }),
  )
}

export function isEmpty({ isNew, items }: NamespacePlan): boolean {
  return !isNew && items.length === 0
}
