import type { NamespaceFiles, NamespaceOperations, PlannedApply } from '@svc/documents/files'
import { api } from '../../data/api.ts'
import { failureOf } from '../../data/errors.ts'
import { type ImportChoices, type ImportRow, operationsOf, rowsOf } from './import-rows.ts'

/** What a file would do in one namespace. */
export interface TargetPlan {
  readonly namespaceKey: string
  readonly isNew: boolean
  readonly rows: readonly ImportRow[]
}

export interface ImportPlan {
  readonly targets: readonly TargetPlan[]
  /** Operations of all namespaces. */
  readonly count: number
  /** Nothing where nothing would be done. */
  readonly planned: PlannedApply | undefined
  /** Why the service refuses it; nothing was written. */
  readonly refusal: string | undefined
}

/**
 * Reads what there is, compares the file with it, and lets the service plan what differs.
 *
 * @param targetOf the namespace that one of the file goes into
 */
export async function planImport(
  files: readonly NamespaceFiles[],
  targetOf: (file: NamespaceFiles) => string,
  choices: ImportChoices,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const { planApply } = await import('@svc/documents/files')
  const targets: TargetPlan[] = []
  const changes: NamespaceOperations[] = []
  for (const file of files) {
    const namespaceKey = targetOf(file)
    const stored = await readStored(namespaceKey, signal)
    const rows = rowsOf(file, stored)
    const isNew = stored === undefined
    targets.push({ namespaceKey, isNew, rows })
    const operations = operationsOf(rows, choices)
    const { name = namespaceKey, description = '' } = file.settings ?? {}
    const create = { name: name || namespaceKey, description }
    if (operations.length > 0 || isNew)
      changes.push({ namespaceKey, operations, ...(isNew && { create }) })
  }
  const count = changes.reduce((sum, { operations }) => sum + operations.length, 0)
  if (changes.length === 0) return { targets, count, planned: undefined, refusal: undefined }
  try {
    return {
      targets,
      count,
      planned: await planApply(api, changes, { signal }),
      refusal: undefined,
    }
  } catch (error) {
    const { kind, message } = failureOf(error)
    if (kind === 'unreachable' || kind === 'signed-out') throw error
    return { targets, count, planned: undefined, refusal: message }
  }
}

async function readStored(namespaceKey: string, signal: AbortSignal) {
  const { readNamespace } = await import('@svc/documents/files')
  try {
    return await readNamespace(api, namespaceKey, { signal })
  } catch (error) {
    if (failureOf(error).kind === 'missing') return undefined
    throw error
  }
}
