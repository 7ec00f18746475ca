import type { PlannedItem } from '@svc/client/api'
import type { NamespaceOperations, NamespacePlan } from '@svc/documents/files'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { nameOf } from '../plan-text.ts'

/** Deletions of a plan that are fine, as is a tenth of all objects: an empty checkout deletes all. */
const maxDeletions = 10

/** Deletions that an error lists. */
const maxListed = 50

/** The objects of a namespace that a plan may delete. */
interface Deletable {
  /** Such as `objects in shop`. */
  readonly what: string
  /** How many there are. */
  readonly count: () => number | Promise<number>
  /** `--max-deletions`: without it, ten or a tenth of them are fine. */
  readonly given: number | undefined
}

/** @returns the error of a plan that deletes more of them than is fine: it lists these */
export async function findExcess(
  plan: NamespacePlan,
  { what, count, given }: Deletable,
  otherwise = '',
): Promise<CliError | undefined> {
  const deleted = deletedIn(plan)
  if (deleted.length <= (given ?? maxDeletions)) return undefined
  const total = given === undefined ? await count() : undefined
  if (total !== undefined && !isMuch(deleted, total)) return undefined
  const those =
    total === undefined
      ? `of the ${what}, and --max-deletions is ${given}`
      : `of the ${total} ${what}`
  const listed = deleted.slice(0, maxListed).map((item) => `    - ${nameOf(item)}`)
  const more = deleted.length - listed.length
  return new CliError(
    exitCodes.conflict,
    [
      `this would delete ${deleted.length} ${those}:`,
      ...listed,
      ...(more > 0 ? [`    and ${more} more`] : []),
    ].join('\n'),
    `Nothing was written. If that is meant: --max-deletions ${deleted.length}${otherwise}.`,
  )
}

function deletedIn({ items }: NamespacePlan): readonly PlannedItem[] {
  return items.filter(({ action }) => action === 'DELETED_ACTION')
}

function isMuch({ length }: readonly PlannedItem[], total: number): boolean {
  return length > total / 10
}

/** How many objects the manager of a plan keeps; fewer where these do not decide. */
export async function countManaged(
  context: Context,
  { namespaceKey, operations, manager = '' }: NamespaceOperations,
  plan: NamespacePlan,
): Promise<number> {
  const deleted = deletedIn(plan)
  // What does not change is kept by the manager, what is updated may be.
  const settings = operations.filter(({ kind }) => kind === 'NAMESPACE_KIND').length
  const isSettings = plan.items.some(({ kind }) => kind === 'NAMESPACE_KIND')
  const least = deleted.length + plan.unchanged - (isSettings ? 0 : settings)
  const updated = plan.items.filter(
    ({ kind, action }) => action === 'UPDATED_ACTION' && kind !== 'NAMESPACE_KIND',
  )
  const isDecided = !isMuch(deleted, least) || isMuch(deleted, least + updated.length)
  return isDecided ? least : least + (await countKept(context, namespaceKey, manager, updated))
}

/** Requests at once. */
const maxRunning = 8

/** How many of some objects a manager keeps now. */
async function countKept(
  { api, signal }: Context,
  namespaceKey: string,
  manager: string,
  items: readonly PlannedItem[],
): Promise<number> {
  let kept = 0
  const waiting = items.values()
  const work = async () => {
    for (const { kind, key } of waiting) {
      const request = { namespaceKey, key }
      const { managedBy } =
        kind === 'FLAG_KIND'
          ? await api.documents.getFlag(request, { signal })
          : await api.documents.getSegment(request, { signal })
      if (managedBy === manager) kept += 1
    }
  }
  await Promise.all(Array.from({ length: maxRunning }, work))
  return kept
}
