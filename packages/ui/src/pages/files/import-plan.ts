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
export async function planImport(...request: Parameters<typeof planOnce>): Promise<ImportPlan> {
  for (let read = 1; ; read++) {
    const { plan, isStale } = await planOnce(...request)
    if (!isStale) return plan
    await plan.planned?.discard()
    if (read === maxReads) throw new Error('others are writing there just now: try again')
  }
}

/** How often it is read anew when others write meanwhile. */
const maxReads = 5

async function planOnce(
  files: readonly NamespaceFiles[],
  targetOf: (file: NamespaceFiles) => string,
  choices: ImportChoices,
  signal: AbortSignal,
): Promise<{ readonly plan: ImportPlan; readonly isStale: boolean }> {
  const { planApply } = await import('@svc/documents/files')
  const targets: TargetPlan[] = []
  const changes: NamespaceOperations[] = []
  const revisions = new Map<string, number | undefined>()
  for (const file of files) {
    const namespaceKey = targetOf(file)
    const stored = await readStored(namespaceKey, signal)
    const rows = rowsOf(file, stored)
    revisions.set(namespaceKey, stored?.revision)
    const isNew = stored === undefined
    targets.push({ namespaceKey, isNew, rows })
    const operations = operationsOf(rows, choices)
    const { name = namespaceKey, description = '' } = file.settings ?? {}
    const create = { name: name || namespaceKey, description }
    if (operations.length > 0 || isNew)
      changes.push({ namespaceKey, operations, ...(isNew && { create }) })
  }
  const count = changes.reduce((sum, { operations }) => sum + operations.length, 0)
  const nothing = { targets, count, planned: undefined }
  if (changes.length === 0) return { plan: { ...nothing, refusal: undefined }, isStale: false }
  try {
    const planned = await planApply(api, changes, { signal })
    // What is written has to be what is shown: it was read before.
    const isStale = planned.plans.some(({ namespaceKey, isNew, items }) => {
      const read = revisions.get(namespaceKey)
      return isNew !== (read === undefined) || items.some(({ revision }) => revision > (read ?? 0))
    })
    return { plan: { targets, count, planned, refusal: undefined }, isStale }
  } catch (error) {
    const { kind, message } = failureOf(error)
    if (kind === 'unreachable' || kind === 'signed-out') throw error
    return { plan: { ...nothing, refusal: message }, isStale: false }
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
