import type { ApplyApi, CallOptions, Keeping, PlannedItem } from './apply-api.ts'
import { ApplyError, isAboutOperation, statusOf, toApplyError } from './apply-error.ts'
import {
  applyDrafts,
  type DraftOptions,
  type DraftPlan,
  type DraftToApply,
  discardDrafts,
  makeDraft,
  planDraft,
} from './drafts.ts'
import type { Operation } from './operations.ts'
import { toParts } from './parts.ts'

/** What to do in one namespace. */
export interface NamespaceOperations extends Keeping {
  readonly namespaceKey: string
  /** One for each object at most. */
  readonly operations: readonly Operation[]
  /** What the namespace is made with, first of all, if it does not exist. Left out: it has to exist. */
  readonly create?: { readonly name: string; readonly description?: string } | undefined
}

export interface PlanOptions {
  /** Why, for the change log: 4,096 bytes at most. */
  readonly comment?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined
}

/** Of how many operations of all. While they are applied, `done` stays 0: all of them are done at once. */
export interface ApplyProgress {
  readonly step: 'sending' | 'planning' | 'applying'
  readonly done: number
  readonly total: number
}

/** What an apply would do in one namespace. */
export interface NamespacePlan {
  readonly namespaceKey: string
  /** There is no such namespace: nothing was checked by the service yet. */
  readonly isNew: boolean
  /** Names the operations, and the revisions of what they are about; empty for a new namespace. */
  readonly plan: string
  /** The objects that change. */
  readonly items: readonly PlannedItem[]
  /** How many do not. */
  readonly unchanged: number
}

/** A namespace after an apply. */
export interface AppliedNamespace {
  readonly namespaceKey: string
  readonly isNew: boolean
  /** After the apply: the present one when nothing changed. */
  readonly revision: number
}

/** An apply that was planned. Call one of its functions, once. */
export interface PlannedApply {
  /** In the order in which the namespaces were given. */
  readonly plans: readonly NamespacePlan[]
  /**
   * Does all of it in one transaction, or none of it. A new namespace is made before that, and deleted again
   * when the rest is refused.
   *
   * @throws what the service refuses it with: 412 when an object has changed since the plan
   * @throws {ApplyError} when an apply in parts has failed, or an operation cannot be done
   */
  apply(options?: Pick<PlanOptions, 'comment'>): Promise<readonly AppliedNamespace[]>
  /** Deletes what the service keeps of it: a large one is there as drafts, which it drops after a day. */
  discard(): Promise<void>
}

/** Namespaces that the service applies to at once. */
const maxNamespaces = 20

/**
 * Plans operations: as one request when they fit in it, else in parts, as drafts. Nothing that is served
 * changes.
 *
 * @throws {ApplyError} for an operation that cannot be done
 * @throws what the service refuses it with otherwise
 */
export async function planApply(
  api: ApplyApi,
  changes: readonly NamespaceOperations[],
  options: PlanOptions = {},
): Promise<PlannedApply> {
  checkCount(changes)
  const isNew = await Promise.all(changes.map((change) => isMissing(api, change, options)))
  const targets = changes.map((change, place) => ({ change, isNew: isNew[place] === true }))
  const [only] = targets
  const isSmall = only !== undefined && targets.length === 1 && fitsInRequest(only.change)
  return isSmall ? planRequest(api, only, options) : planDrafts(api, targets, options)
}

interface Target {
  readonly change: NamespaceOperations
  readonly isNew: boolean
}

function fitsInRequest({ operations }: NamespaceOperations): boolean {
  return toParts(operations).length <= 1
}

function checkCount(changes: readonly NamespaceOperations[]): void {
  const count = changes.filter(hasWork).length
  if (count <= maxNamespaces) return
  const message = `at most ${maxNamespaces} namespaces can be applied at once, not ${count}: do it in several steps`
  throw new ApplyError(message, { reason: 'too_many_namespaces' })
}

function hasWork({ operations, prune }: NamespaceOperations): boolean {
  return operations.length > 0 || prune === true
}

async function isMissing(
  api: ApplyApi,
  { namespaceKey, create }: NamespaceOperations,
  { signal }: PlanOptions,
): Promise<boolean> {
  if (create === undefined) return false
  try {
    await api.namespaces.get({ key: namespaceKey }, { signal })
    return false
  } catch (error) {
    if (statusOf(error) === 404) return true
    throw error
  }
}

/** In a new namespace there is nothing that could be in the way. */
function planNew({ namespaceKey, operations }: NamespaceOperations): NamespacePlan {
  const items = operations
    .filter((operation) => operation.delete !== true && operation.kind !== 'NAMESPACE_KIND')
    .map(({ kind, key }) => ({
      ...{ kind, key, action: 'CREATED_ACTION' as const, changes: [], revision: 0 },
      ...{ managedBy: '', isCut: false },
    }))
  return { namespaceKey, isNew: true, plan: '', items, unchanged: operations.length - items.length }
}

async function planRequest(
  api: ApplyApi,
  target: Target,
  { comment, signal, onProgress }: PlanOptions,
): Promise<PlannedApply> {
  const { change, isNew } = target
  const { namespaceKey, create: _, ...request } = change
  const total = change.operations.length
  onProgress?.({ step: 'planning', done: 0, total })
  const plan = isNew
    ? planNew(change)
    : { namespaceKey, isNew, ...(await dryRun(api, change, { signal })) }
  return {
    plans: [plan],
    async apply(more) {
      onProgress?.({ step: 'applying', done: 0, total })
      return withNamespaces(api, [target], async () => {
        const options = { comment: more?.comment ?? comment, signal }
        const { revision } = await api.documents
          .apply(
            { namespaceKey, ...request, ...(plan.plan !== '' && { plan: plan.plan }) },
            options,
          )
          .catch((error: unknown) => Promise.reject(toApplyError(change, error)))
        return [{ namespaceKey, isNew, revision }]
      })
    },
    async discard() {},
  }
}

async function dryRun(api: ApplyApi, change: NamespaceOperations, options: CallOptions) {
  const { create: _, ...request } = change
  try {
    return await api.documents.apply({ ...request, dryRun: true }, options)
  } catch (error) {
    throw toApplyError(change, error)
  }
}

async function planDrafts(
  api: ApplyApi,
  targets: readonly Target[],
  { comment, signal, onProgress }: PlanOptions,
): Promise<PlannedApply> {
  const drafts = new Map<Target, DraftToApply>()
  const total = targets.reduce((sum, { change }) => sum + change.operations.length, 0)
  const count = counting(total, onProgress)
  const discard = () => discardDrafts(api, [...drafts.values()])
  const make = async (target: Target) => {
    const onDone = count('sending')
    drafts.set(target, await makeDraft(api, target.change, { signal, onDone }))
  }
  const planOne = async (target: Target): Promise<NamespacePlan> => {
    const { change, isNew } = target
    const { namespaceKey } = change
    const draft = drafts.get(target)
    if (draft === undefined) return planNew(change)
    const plan = await planChecked(api, change, draft, { signal, onDone: count('planning') })
    drafts.set(target, { ...draft, plan: plan.plan })
    return { namespaceKey, isNew, ...plan }
  }
  const plans: NamespacePlan[] = []
  try {
    for (const target of targets) if (hasWork(target.change) && !target.isNew) await make(target)
    for (const target of targets) plans.push(await planOne(target))
  } catch (error) {
    await discard()
    throw error
  }
  return {
    plans,
    discard,
    apply: (more) =>
      withNamespaces(api, targets, async () => {
        for (const target of targets) if (hasWork(target.change) && target.isNew) await make(target)
        const made = targets.flatMap((target) => drafts.get(target) ?? [])
        if (made.length === 0) return []
        onProgress?.({ step: 'applying', done: 0, total })
        const revisions = await applyDrafts(api, made, {
          ...{ signal, comment: more?.comment ?? comment },
        }).catch(async (error: unknown) => {
          const said = await locate(api, targets, drafts, error)
          if (isRefusal(said)) await discard()
          throw said
        })
        return made.map(({ namespaceKey }, place) => ({
          namespaceKey,
          isNew: targets.some(({ change, isNew }) => isNew && change.namespaceKey === namespaceKey),
          revision: revisions[place] ?? 0,
        }))
      }),
  }
}

async function planChecked(
  api: ApplyApi,
  change: NamespaceOperations,
  draft: DraftToApply,
  options: DraftOptions,
): Promise<DraftPlan> {
  try {
    return await planDraft(api, draft, options)
  } catch (error) {
    throw toApplyError(change, error)
  }
}

/** Drafts that fail together fail with one message: the plan of the one that it is about says the same. */
async function locate(
  api: ApplyApi,
  targets: readonly Target[],
  drafts: ReadonlyMap<Target, DraftToApply>,
  error: unknown,
): Promise<unknown> {
  if (!isAboutOperation(error)) return error
  const made = targets.filter((target) => drafts.has(target))
  const [only, another] = made
  if (only !== undefined && another === undefined) return toApplyError(only.change, error)
  for (const target of made) {
    const draft = drafts.get(target)
    const said: unknown =
      draft &&
      (await planDraft(api, draft).then(
        () => undefined,
        (reason: unknown) => reason,
      ))
    if (said instanceof Error && said.message === error.message)
      return toApplyError(target.change, error)
  }
  return error
}

/** Adds up what is done of a step, for the caller. */
function counting(total: number, onProgress: PlanOptions['onProgress']) {
  const done = { sending: 0, planning: 0 }
  return (step: 'sending' | 'planning') => (count: number) => {
    done[step] += count
    onProgress?.({ step, done: done[step], total })
  }
}

/**
 * Makes the namespaces that do not exist, and deletes them again when the work is refused. They stay when
 * it is not known whether it was done.
 */
async function withNamespaces<T>(
  api: ApplyApi,
  targets: readonly Target[],
  work: () => Promise<T>,
): Promise<T> {
  const made: string[] = []
  try {
    for (const { change, isNew } of targets) {
      if (!isNew || change.create === undefined) continue
      await api.namespaces.create({ key: change.namespaceKey, ...change.create })
      made.push(change.namespaceKey)
    }
    return await work()
  } catch (error) {
    if (isRefusal(error)) await deleteNamespaces(api, made)
    throw error
  }
}

function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status >= 400 && status < 500
  return error instanceof ApplyError && error.reason !== 'still_applying'
}

/** Without force: one that has flags by now stays. */
async function deleteNamespaces(api: ApplyApi, keys: readonly string[]): Promise<void> {
  await Promise.allSettled(keys.map((key) => api.namespaces.delete({ key })))
}
