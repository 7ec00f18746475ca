import {
  deleteEmptyNamespace,
  type NamespaceOperations,
  type NamespacePlan,
  type PlannedApply,
} from '@svc/documents/files'
import { planOperations } from '../apply-documents.ts'
import type { Context } from '../context.ts'
import type { CliError } from '../exit-codes.ts'
import { type OutcomeOfNamespace, withLive } from '../outcome.ts'
import { hasChanges } from '../plan-text.ts'
import { countManaged, findExcess } from './deletions.ts'
import { creationMark, findGone } from './namespaces.ts'
import { digestOf, planHash } from './operations.ts'

export interface SyncChoice {
  readonly manager: string
  /** Whether namespaces that the manager made and the files lack are deleted, empty ones. */
  readonly deleteNamespaces: boolean
  /** Bound for the deletions in a namespace; left out: ten, or a tenth. */
  readonly maxDeletions: number | undefined
}

/** What the last run of a watch has left: a namespace at that revision is as its files are. */
export type SyncMemory = Map<string, { readonly digest: string; readonly revision: number }>

/** A sync before anything is written. */
export interface SyncPlan {
  readonly plan: string
  readonly namespaces: readonly NamespacePlan[]
  readonly gone: readonly string[]
  /** Namespaces that would be deleted if they were empty. */
  readonly filled: readonly string[]
  /** Of a plan that deletes too much: it may be looked at, and not be applied. */
  readonly excess: CliError | undefined
  /** Writes one namespace after the other. */
  apply(): Promise<Synced>
  discard(): Promise<void>
}

/** What was done of a plan. */
export interface Synced {
  readonly namespaces: readonly OutcomeOfNamespace[]
  readonly deleted: readonly string[]
  /** Namespaces that were to be deleted, and stay because they are no longer empty. */
  readonly left: readonly string[]
}

interface Step {
  readonly change: NamespaceOperations
  readonly plan: NamespacePlan
  readonly planned: PlannedApply | undefined
}

/**
 * Plans what a sync does, namespace by namespace.
 *
 * @param memory of a watch: what has not changed since is not planned again
 */
export async function planSync(
  given: Context,
  changes: readonly NamespaceOperations[],
  { manager, deleteNamespaces, maxDeletions }: SyncChoice,
  memory?: SyncMemory,
): Promise<SyncPlan> {
  const context = markingCreations(given, manager)
  const steps: Step[] = []
  let excess: CliError | undefined
  const discard = async () => {
    await Promise.all(steps.map(({ planned }) => planned?.discard()))
  }
  try {
    for (const change of changes) {
      const step = await planOne(context, change, memory)
      steps.push(step)
      const { plan } = step
      const deletable = {
        what: `objects that "${manager}" keeps in ${change.namespaceKey}`,
        count: () => countManaged(context, change, plan),
        given: maxDeletions,
      }
      excess ??= await findExcess(plan, deletable, ', or --plan with the hash of a dry run')
    }
    const keys = new Set(changes.map(({ namespaceKey }) => namespaceKey))
    const { empty: gone, filled } = deleteNamespaces
      ? await findGone(context, keys, manager)
      : { empty: [], filled: [] }
    const namespaces = steps.map(({ plan }) => plan)
    return {
      plan: planHash(
        changes,
        namespaces,
        gone.map((key) => `delete ${key}`),
      ),
      ...{ namespaces, gone, filled, excess, discard },
      apply: () => applySteps(context, steps, gone, memory),
    }
  } catch (error) {
    await discard()
    throw error
  }
}

/** Namespaces that are made say by whom, in the history. */
function markingCreations(context: Context, manager: string): Context {
  const { api, comment } = context
  const mark = [creationMark(manager), ...(comment === undefined ? [] : [comment])].join('\n')
  const create: typeof api.namespaces.create = (request, options) =>
    api.namespaces.create(request, { ...options, comment: mark })
  return { ...context, api: { ...api, namespaces: { ...api.namespaces, create } } }
}

/** Operations of a namespace that are planned at each run of a watch: more take a draft each time. */
const cheap = 500

async function planOne(
  context: Context,
  change: NamespaceOperations,
  memory: SyncMemory | undefined,
): Promise<Step> {
  const { namespaceKey, operations } = change
  if (memory === undefined || operations.length <= cheap) {
    const planned = await planOperations(context, [change])
    return { change, plan: onlyPlan(planned), planned }
  }
  const digest = digestOf(change)
  const revision = await revisionOf(context, namespaceKey)
  const known = memory.get(namespaceKey)
  if (known !== undefined && known.digest === digest && known.revision === revision) {
    const nothing = { isNew: false, plan: '', items: [], unchanged: operations.length }
    return { change, plan: { namespaceKey, ...nothing }, planned: undefined }
  }
  const planned = await planOperations(context, [change])
  const plan = onlyPlan(planned)
  // The revision was read before: whatever was changed since makes another one.
  if (!hasChanges(plan) && revision !== undefined) memory.set(namespaceKey, { digest, revision })
  return { change, plan, planned }
}

function onlyPlan({ plans: [plan] }: PlannedApply): NamespacePlan {
  if (plan === undefined) throw new Error('one namespace has one plan')
  return plan
}

/** @returns nothing when there is no such namespace */
async function revisionOf(
  { api, signal }: Context,
  namespaceKey: string,
): Promise<number | undefined> {
  const request = { namespaceKey, limit: 1 }
  const read = api.documents.getNamespace(request, { signal })
  return read.then(
    ({ revision }) => revision,
    (error: unknown) => {
      if (Reflect.get(Object(error), 'status') === 404) return undefined
      throw error
    },
  )
}

async function applySteps(
  context: Context,
  steps: readonly Step[],
  gone: readonly string[],
  memory: SyncMemory | undefined,
): Promise<Synced> {
  const { api, output, progress, comment, signal } = context
  const revisions = new Map<string, number>()
  const deleted: string[] = []
  const left: string[] = []
  try {
    for (const { change, plan, planned } of steps) {
      const { namespaceKey } = change
      if (planned === undefined || !hasChanges(plan)) {
        await planned?.discard()
        continue
      }
      const [applied] = await progress.show(`applying ${namespaceKey}`, () => planned.apply())
      if (applied === undefined) continue
      revisions.set(namespaceKey, applied.revision)
      memory?.set(namespaceKey, { digest: digestOf(change), revision: applied.revision })
    }
    for (const key of gone) {
      const isDeleted = await deleteEmptyNamespace(api, key, { comment, signal })
      if (isDeleted) deleted.push(key)
      else left.push(key)
    }
  } catch (error) {
    await Promise.all(steps.map(({ planned }) => planned?.discard()))
    for (const [key, revision] of revisions) output.warn(`${key} was written: revision ${revision}`)
    throw error
  }
  const namespaces = await Promise.all(
    steps.map(({ plan }) => {
      const revision = revisions.get(plan.namespaceKey)
      return revision === undefined ? plan : withLive(context, plan, revision)
    }),
  )
  return { namespaces, deleted, left }
}
