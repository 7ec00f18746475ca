import type { Context } from './context.ts'
import { CliError, type ExitCode, exitCodes } from './exit-codes.ts'
import { type Live, liveText, waitUntilLive } from './live.ts'
import { option } from './options.ts'
import { countText, hasChanges, type PlannedNamespace, planText } from './plan-text.ts'

/** What a write of documents would do, or has done. With `--json` it is printed as it is. */
export interface Outcome {
  readonly isDryRun: boolean
  /** Names what happens, for `--plan`. */
  readonly plan: string
  readonly namespaces: readonly OutcomeOfNamespace[]
}

export interface OutcomeOfNamespace extends PlannedNamespace {
  /** Of the namespace after it; left out of a dry run, and where nothing changed. */
  readonly revision?: number | undefined
  /** At how many gateways the revision is. */
  readonly live?: Live | undefined
}

/** Options of commands that write documents. */
export const planOptions = {
  dryRun: option.flag('--dry-run', 'show what would change, and write nothing'),
  exitCode: option.flag('--exit-code', 'with --dry-run: end with 3 when something would change'),
}

/** @throws {CliError} for options that mean nothing together */
export function checkPlanOptions(given: {
  readonly dryRun: boolean
  readonly exitCode: boolean
}): void {
  if (!given.exitCode || given.dryRun) return
  throw new CliError(exitCodes.usage, '--exit-code needs --dry-run: a write has codes of its own')
}

/** Ends a write before it is done, unless the plan is still this one. */
export const planOption = option.filled(
  '--plan HASH',
  'write only if this is still the plan, which a dry run has printed; else end with 4',
)

/** Bounds what a mistake in files deletes. */
export const deletionsOption = option.wholeNumber(
  '--max-deletions COUNT',
  'the most to delete in a namespace; unless given, ten objects or a tenth of them',
)

/** Objects of a namespace that are shown; `--json` has all of them. */
const maxShown = 500

/** Tells a plan, or what has come of it. @returns what the process ends with */
export function tellOutcome(
  { output }: Pick<Context, 'output'>,
  outcome: Outcome,
  { exitCode = false }: { readonly exitCode?: boolean } = {},
): ExitCode {
  const { isDryRun, plan, namespaces } = outcome
  const changed = namespaces.filter(hasChanges)
  const tell = isDryRun ? output.value.bind(output) : output.done.bind(output)
  tell(outcome, () => {
    const counts = countText(namespaces)
    if (changed.length === 0) return `nothing to change${counts === '' ? '' : `: ${counts}`}`
    return [
      planText(namespaces, output, maxShown),
      ...(isDryRun ? [`${counts} · nothing was written`, `plan ${plan}`] : [counts]),
      ...changed.flatMap(doneText),
    ].join('\n')
  })
  return isDryRun && exitCode && changed.length > 0 ? exitCodes.differences : exitCodes.done
}

/** Such as `shop is at revision 42 · live on 3/3, 41 ms`. */
function doneText({ namespaceKey, revision, live }: OutcomeOfNamespace): string[] {
  if (revision === undefined) return []
  const parts = [`${namespaceKey} is at revision ${revision}`]
  return [[...parts, ...(live === undefined ? [] : [liveText(live)])].join(' · ')]
}

/** A namespace after a write, once the gateways have it: three seconds later at most. */
export async function withLive(
  context: Context,
  namespace: PlannedNamespace,
  revision: number,
): Promise<OutcomeOfNamespace> {
  if (!hasChanges(namespace)) return namespace
  const live = await waitUntilLive(context, namespace.namespaceKey, revision)
  return { ...namespace, revision, live }
}
