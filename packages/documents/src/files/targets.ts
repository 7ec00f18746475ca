import { statusOf } from '../retry.ts'
import type { NamespaceOperations, NamespacePlan } from './apply.ts'
import type { ApplyApi } from './apply-api.ts'
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
 * that is not known.
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
    // Without force: one that has flags by now stays.
    if (!isAsked || isRefusal(error)) {
      await Promise.allSettled(made.map((key) => api.namespaces.delete({ key })))
    }
    throw error
  }
}

/** Whether nothing was done, and nothing will be. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status >= 400 && status < 500
  return error instanceof ApplyError && error.reason !== 'still_applying'
}
