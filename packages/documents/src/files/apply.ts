import { outageMs, retried, statusOf } from '../retry.ts'
import type { ApplyApi, CallOptions, Keeping, PlannedItem } from './apply-api.ts'
import { ApplyError, toApplyError } from './apply-error.ts'
import type { Operation } from './operations.ts'
import { toParts } from './parts.ts'
import { planDrafts } from './plan-drafts.ts'
import { planNew, type Target, withNamespaces } from './targets.ts'

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
  const isNew = await Promise.all(changes.map((change) => isMissing(api, change, options)))
  const targets = changes.map((change, place) => ({ change, isNew: isNew[place] === true }))
  const [only] = targets
  const isSmall = only !== undefined && targets.length === 1 && fitsInRequest(only.change)
  return once(
    isSmall ? await planRequest(api, only, options) : await planDrafts(api, targets, options),
  )
}

/** A plan that was begun is not begun again, and what it has made stays until it has ended. */
function once(planned: PlannedApply): PlannedApply {
  let isUsed = false
  return {
    plans: planned.plans,
    async apply(options) {
      if (isUsed) {
        const message = 'this plan was applied or discarded before: plan anew'
        throw new ApplyError(message, { reason: 'plan_used' })
      }
      isUsed = true
      return planned.apply(options)
    },
    async discard() {
      if (isUsed) return
      isUsed = true
      await planned.discard()
    },
  }
}

function fitsInRequest({ operations }: NamespaceOperations): boolean {
  return toParts(operations).length <= 1
}

async function isMissing(
  api: ApplyApi,
  { namespaceKey, create }: NamespaceOperations,
  { signal }: PlanOptions,
): Promise<boolean> {
  if (create === undefined) return false
  try {
    await retried({ signal, timeoutMs: outageMs, isFirst: true }, () =>
      api.namespaces.get({ key: namespaceKey }, { signal }),
    )
    return false
  } catch (error) {
    if (statusOf(error) === 404) return true
    throw error
  }
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
      return withNamespaces(api, [target], async (onAsked) => {
        onAsked()
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
    const retry = { signal: options.signal, timeoutMs: outageMs, isFirst: true }
    const { plan, items, unchanged } = await retried(retry, () =>
      api.documents.apply({ ...request, dryRun: true }, options),
    )
    return { plan, items, unchanged }
  } catch (error) {
    throw toApplyError(change, error)
  }
}
