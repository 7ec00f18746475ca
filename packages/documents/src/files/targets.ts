import { statusOf } from '../retry.ts'
import type { NamespaceOperations, NamespacePlan } from './apply.ts'
import type { ApplyApi, CallOptions } from './apply-api.ts'
import { ApplyError } from './apply-error.ts'

/** A namespace and what to do in it. */
export interface Target {
  readonly change: NamespaceOperations
  readonly isNew: boolean
}

/** In a new namespace there is nothing that could be in the way. */
export function planNew({
  namespaceKey,
  operations,
  manager = '',
}: NamespaceOperations): NamespacePlan {
  const items = operations
    .filter((operation) => operation.delete !== true && operation.kind !== 'NAMESPACE_KIND')
    .map(({ kind, key }) => ({
      ...{ kind, key, action: 'CREATED_ACTION' as const, changes: [], revision: 0 },
      ...{ managedBy: manager, isCut: false },
    }))
  return { namespaceKey, isNew: true, plan: '', items, unchanged: operations.length - items.length }
}

/**
 * Makes the namespaces that do not exist, and deletes them again when the work is not done. They stay when
 * that is not known, and when another caller has put something in them meanwhile.
 *
 * @param work calls `onAsked` before it asks for anything that may be done without an answer
 */
export async function withNamespaces<T>(
  api: ApplyApi,
  targets: readonly Target[],
  work: (onAsked: () => void) => Promise<T>,
): Promise<T> {
  const made: string[] = []
  let isAsked = false
  try {
    for (const { change, isNew } of targets) {
      if (!isNew || change.create === undefined) continue
      await api.namespaces.create({ key: change.namespaceKey, ...change.create })
      made.push(change.namespaceKey)
    }
    return await work(() => {
      isAsked = true
    })
  } catch (error) {
    if (!isAsked || isRefusal(error)) {
      await Promise.allSettled(made.map((key) => deleteEmptyNamespace(api, key)))
    }
    throw error
  }
}

/**
 * Deletes a namespace if there is nothing in it right now. The service itself refuses flags alone, and deletes
 * segments with their namespace.
 *
 * @returns whether it was deleted
 */
export async function deleteEmptyNamespace(
  { namespaces }: Pick<ApplyApi, 'namespaces'>,
  key: string,
  { comment, signal }: CallOptions = {},
): Promise<boolean> {
  const { flagCount, segmentCount } = await namespaces.get({ key, view: 'SUMMARY' }, { signal })
  if (flagCount !== 0 || segmentCount !== 0) return false
  await namespaces.delete({ key }, { comment, signal })
  return true
}

/** Whether nothing was done, and nothing will be. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status >= 400 && status < 500
  return error instanceof ApplyError && error.reason !== 'still_applying'
}
