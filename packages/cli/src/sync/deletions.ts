import type { PlannedItem } from '@svc/client/api'
import type { NamespaceOperations, NamespacePlan } from '@svc/documents/files'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { nameOf } from '../plan-text.ts'

/** A plan may delete so many, and a tenth of what the manager keeps: an empty checkout deletes all. */
const maxDeletions = 10

/** Deletions that an error lists. */
const maxListed = 50

/**
 * Refuses a plan that deletes much of what its manager keeps in a namespace.
 *
 * @param allowed deletions that are allowed in any case
 * @throws {CliError} that lists them
 */
export async function checkDeletions(
  context: Context,
  { namespaceKey, operations, manager }: NamespaceOperations,
  plan: NamespacePlan,
  allowed = 0,
): Promise<void> {
  const deleted = plan.items.filter(({ action }) => action === 'DELETED_ACTION')
  if (deleted.length <= Math.max(maxDeletions, allowed)) return
  const isMuch = (kept: number) => deleted.length > kept / 10
  // What does not change is kept by the manager, what is updated may be.
  const settings = operations.filter(({ kind }) => kind === 'NAMESPACE_KIND').length
  const isSettings = plan.items.some(({ kind }) => kind === 'NAMESPACE_KIND')
  const least = deleted.length + plan.unchanged - (isSettings ? 0 : settings)
  if (!isMuch(least)) return
  const updated = plan.items.filter(
    ({ kind, action }) => action === 'UPDATED_ACTION' && kind !== 'NAMESPACE_KIND',
  )
  const kept = isMuch(least + updated.length)
    ? least
    : least + (await countKept(context, namespaceKey, manager ?? '', updated))
  if (!isMuch(kept)) return
  const listed = deleted.slice(0, maxListed).map((item) => `    - ${nameOf(item)}`)
  const more = deleted.length - listed.length
  throw new CliError(
    exitCodes.conflict,
    [
      `this would delete ${deleted.length} of the ${kept} objects that "${manager}" keeps in ${namespaceKey}:`,
      ...listed,
      ...(more > 0 ? [`    and ${more} more`] : []),
    ].join('\n'),
    `Nothing was written. If that is meant: --max-deletions ${deleted.length}, or --plan with the hash of a dry run.`,
  )
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
