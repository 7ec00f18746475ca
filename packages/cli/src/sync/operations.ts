import { hash } from 'node:crypto'
import {
  type Keeping,
  type NamespaceFiles,
  type NamespaceOperations,
  type NamespacePlan,
  type Operation,
  setOperations,
} from '@svc/documents/files'

/** What sets a namespace to what files have. One that does not exist is made with their name for it. */
export function toOperations(files: NamespaceFiles, keeping: Keeping = {}): NamespaceOperations {
  const { namespaceKey, settings } = files
  // Colour and the like are not in files, and stay.
  const settingsOperation: Operation[] =
    settings === undefined
      ? []
      : [{ kind: 'NAMESPACE_KIND', key: namespaceKey, patch: { ...settings } }]
  return {
    namespaceKey,
    operations: [...settingsOperation, ...setOperations(files)],
    create: settings ?? { name: namespaceKey },
    ...keeping,
  }
}

/** Names operations, and what they are done to. */
export function planHash(
  changes: readonly NamespaceOperations[],
  plans: readonly NamespacePlan[],
  more: readonly string[] = [],
): string {
  const planOf = new Map(plans.map(({ namespaceKey, plan }) => [namespaceKey, plan]))
  const lines = changes.map((change) => {
    const plan = planOf.get(change.namespaceKey) || `new ${digestOf(change)}`
    return `${change.namespaceKey} ${plan}`
  })
  return hash('sha256', [...lines, ...more].join('\n'))
}

/** Names operations alone. */
export function digestOf(change: NamespaceOperations): string {
  return hash('sha256', JSON.stringify(change))
}
