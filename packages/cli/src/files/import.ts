import { SvcError } from '@svc/client/api'
import {
  deleteOperation,
  type FileText,
  type NamespaceFiles,
  type NamespaceOperations,
  type NamespacePlan,
  type Operation,
  type PlannedApply,
  type PlannedItem,
  problemText,
  readFiles,
  readNamespace,
  setOperations,
} from '@svc/documents/files'
import { applyPlanned, isEmpty, planOperations } from '../apply-documents.ts'
import type { Context } from '../context.ts'
import { CliError, type ExitCode, exitCodes } from '../exit-codes.ts'
import type { OutcomeOfNamespace } from '../outcome.ts'
import { countText, planText } from '../plan-text.ts'
import { findExcess } from '../sync/deletions.ts'
import { type PlaceOf, withPlace } from './file-errors.ts'

export interface ImportOptions {
  readonly dryRun: boolean
  /** Leaves objects alone that exist, whether they differ or not. */
  readonly skipExisting: boolean
  /** Sets objects that exist and differ, and the name of the namespace. */
  readonly replace: boolean
  /** Deletes what the files do not have. */
  readonly prune: boolean
  /** Of a namespace. */
  readonly maxDeletions: number | undefined
  /** With `dryRun`: ends with 3 when there is something to do. */
  readonly exitCode: boolean
}

/** Imports all files in one transaction, or nothing of them. */
export async function importFiles(
  context: Context,
  files: readonly FileText[],
  options: ImportOptions,
): Promise<ExitCode> {
  const { namespaceKey, output } = context
  let placeOf: PlaceOf | undefined
  try {
    const { namespaces, warnings } = readFiles(
      files.map((file) => ({ namespaceKey, ...file })),
      // A misspelt list would be an empty one, and any other file an empty document.
      { unknownMembers: options.prune ? 'refuse' : 'warn' },
    )
    for (const warning of warnings) output.warn(problemText(warning))
    placeOf = placesIn(namespaces)
    return await importNamespaces(context, namespaces, options, placeOf)
  } catch (error) {
    throw withPlace(error, placeOf)
  }
}

function placesIn(namespaces: readonly NamespaceFiles[]): PlaceOf {
  const byKey = new Map(namespaces.map((namespace) => [namespace.namespaceKey, namespace]))
  return (namespaceKey, kind, key) => byKey.get(namespaceKey)?.placeOf(kind, key)
}

async function importNamespaces(
  context: Context,
  namespaces: readonly NamespaceFiles[],
  options: ImportOptions,
  placeOf: PlaceOf,
): Promise<ExitCode> {
  if (namespaces.length === 0) {
    throw new CliError(exitCodes.usage, 'there is nothing in the files: no namespace, no flag')
  }
  const changes: Change[] = []
  for (const namespace of namespaces) changes.push(await toChange(context, namespace, options))
  const prepared = await prepare(
    context,
    changes.map(({ operations }) => operations),
    options,
  )
  const { planned } = prepared
  const conflicts = options.replace ? [] : findConflicts(planned)
  const excess = await findFirstExcess(planned, changes, options)
  if (options.dryRun || conflicts.length > 0 || excess !== undefined) await planned.discard()
  if (conflicts.length > 0) throw refuse(context, conflicts, placeOf)
  const code = options.dryRun ? tellPlan(context, prepared, options) : exitCodes.done
  if (excess !== undefined) throw excess
  if (options.dryRun) return code
  return tellDone(context, await applyPlanned(context, planned), prepared)
}

/** What is done in a namespace. */
interface Change {
  readonly operations: NamespaceOperations
  /** Flags and segments that it has, where some may be deleted. */
  readonly count: number
}

async function findFirstExcess(
  { plans }: PlannedApply,
  changes: readonly Change[],
  { maxDeletions: given }: ImportOptions,
): Promise<CliError | undefined> {
  for (const [place, plan] of plans.entries()) {
    const count = changes[place]?.count ?? 0
    const what = `objects in ${plan.namespaceKey}`
    const excess = await findExcess(plan, { what, count: () => count, given })
    if (excess !== undefined) return excess
  }
  return undefined
}

async function toChange(
  context: Context,
  { namespaceKey, settings, flags, segments }: NamespaceFiles,
  { replace, prune }: ImportOptions,
): Promise<Change> {
  const operations = setOperations({ flags, segments })
  const present = prune ? await deletionsOf(context, namespaceKey) : []
  const kept = new Set(operations.map(idOf))
  operations.push(...present.filter((deletion) => !kept.has(idOf(deletion))))
  if (replace && settings !== undefined) {
    operations.push({ kind: 'NAMESPACE_KIND', key: namespaceKey, patch: { ...settings } })
  }
  const create = settings ?? { name: namespaceKey }
  return { operations: { namespaceKey, operations, create }, count: present.length }
}

/** Deletes all that a namespace has. */
async function deletionsOf(
  { api, signal }: Context,
  namespaceKey: string,
): Promise<readonly Operation[]> {
  try {
    const { flags, segments } = await readNamespace(api, namespaceKey, { signal })
    return [
      ...flags.map(({ key }) => deleteOperation('flag', key)),
      ...segments.map(({ key }) => deleteOperation('segment', key)),
    ]
  } catch (error) {
    if (error instanceof SvcError && error.status === 404) return []
    throw error
  }
}

function idOf({ kind, key }: Pick<PlannedItem, 'kind' | 'key'>): string {
  return `${kind} ${key}`
}

interface Prepared {
  readonly planned: PlannedApply
  /** How many objects exist and are left alone, by namespace. */
  readonly skipped: ReadonlyMap<string, number>
}

async function prepare(
  context: Context,
  changes: readonly NamespaceOperations[],
  { skipExisting }: ImportOptions,
): Promise<Prepared> {
  const planned = await planOperations(context, changes)
  if (!skipExisting) return { planned, skipped: new Map() }
  const rest = changes.map((change, place) => withoutExisting(change, planned.plans[place]?.items))
  const skipped = new Map(
    changes.map(({ namespaceKey, operations }, place) => [
      namespaceKey,
      operations.length - (rest[place]?.operations.length ?? 0),
    ]),
  )
  if ([...skipped.values()].every((count) => count === 0)) return { planned, skipped }
  await planned.discard()
  return { planned: await planOperations(context, rest), skipped }
}

/** What is not created, and is no deletion, exists. */
function withoutExisting(
  change: NamespaceOperations,
  items: readonly PlannedItem[] = [],
): NamespaceOperations {
  const created = new Set(items.filter((item) => item.action === 'CREATED_ACTION').map(idOf))
  return {
    ...change,
    operations: change.operations.filter(
      (operation) => operation.delete === true || created.has(idOf(operation)),
    ),
  }
}

/** What exists and differs, by namespace. */
function findConflicts({ plans }: PlannedApply): NamespacePlan[] {
  return plans
    .map((plan) => ({
      ...plan,
      items: plan.items.filter((item) => item.action === 'UPDATED_ACTION'),
    }))
    .filter(({ items }) => items.length > 0)
}

/** Tells them on stdout. @returns the error of the command */
function refuse(
  { output }: Context,
  conflicts: readonly NamespacePlan[],
  placeOf: PlaceOf,
): CliError {
  const placed = conflicts.map(({ namespaceKey, items }) => ({
    namespaceKey,
    items: items.map((item) => ({
      ...item,
      place: placeOf(namespaceKey, item.kind === 'FLAG_KIND' ? 'flag' : 'segment', item.key),
    })),
  }))
  output.value({ conflicts: placed }, () => planText(conflicts, output))
  const count = conflicts.reduce((sum, { items }) => sum + items.length, 0)
  const subject = count === 1 ? '1 object exists and differs' : `${count} objects exist and differ`
  return new CliError(
    exitCodes.conflict,
    `${subject}: nothing was imported`,
    '--skip-existing leaves those alone, --replace sets them.',
  )
}

function tellPlan(
  { output }: Context,
  { planned: { plans }, skipped }: Prepared,
  { exitCode }: ImportOptions,
): ExitCode {
  const namespaces = plans.map((plan) => ({
    ...plan,
    skipped: skipped.get(plan.namespaceKey) ?? 0,
  }))
  output.value({ isDryRun: true, namespaces }, () =>
    [planText(plans, output), ...namespaces.map(lineOf)].filter((text) => text !== '').join('\n'),
  )
  output.note('This was a dry run: nothing was imported.')
  const made = plans.filter(({ isNew }) => isNew).map(({ namespaceKey }) => namespaceKey)
  if (made.length > 0) {
    output.note(`The service checks what is for ${made.join(', ')} when it is imported.`)
  }
  return exitCode && !plans.every(isEmpty) ? exitCodes.differences : exitCodes.done
}

/** Counts only: with `--json` there is what was created, but not what is in it. */
function tellDone(
  { output }: Context,
  done: readonly OutcomeOfNamespace[],
  { skipped }: Prepared,
): ExitCode {
  const namespaces = done.map((one) => ({ ...one, skipped: skipped.get(one.namespaceKey) ?? 0 }))
  output.done({ isDryRun: false, namespaces }, () => namespaces.map(lineOf).join('\n'))
  return exitCodes.done
}

/** Such as `shop (new): 10 created, 2 unchanged, 1 skipped · revision 42`. */
function lineOf(namespace: OutcomeOfNamespace & { readonly skipped: number }): string {
  const { namespaceKey, isNew, skipped, revision } = namespace
  const counts = [
    countText([{ ...namespace, isNew: false }]),
    skipped === 0 ? '' : `${skipped} skipped`,
  ].filter((text) => text !== '')
  const done = counts.length === 0 ? 'nothing in it' : counts.join(', ')
  const at = revision === undefined ? '' : ` · revision ${revision}`
  return `${namespaceKey}${isNew ? ' (new)' : ''}: ${done}${at}`
}
