import type { AppliedNamespace, NamespacePlan, PlannedApply, PlanOptions } from './apply.ts'
import type { ApplyApi } from './apply-api.ts'
import { ApplyError, isAboutOperation, toApplyError } from './apply-error.ts'
import { applyDrafts, type DraftToApply, discardDrafts, makeDraft, planDraft } from './drafts.ts'
import { isRefusal, planNew, type Target, withNamespaces } from './targets.ts'

/** Namespaces that the service applies to at once. */
const maxNamespaces = 200

/** Plans operations in parts: a draft for each namespace that exists, sent and planned. */
export async function planDrafts(
  api: ApplyApi,
  targets: readonly Target[],
  options: PlanOptions,
): Promise<PlannedApply> {
  const drafts = new Drafts(api, targets, options)
  const plans = await drafts.plan()
  return {
    plans,
    apply: (more) =>
      withNamespaces(api, targets, (onAsked) =>
        drafts.apply(more?.comment ?? options.comment, onAsked),
      ),
    discard: () => drafts.discard(),
  }
}

/** Drafts that are applied together. */
class Drafts {
  readonly #api: ApplyApi
  readonly #targets: readonly Target[]
  readonly #options: PlanOptions
  readonly #made = new Map<Target, DraftToApply>()
  readonly #done = { sending: 0, planning: 0 }
  readonly #total: number

  constructor(api: ApplyApi, targets: readonly Target[], options: PlanOptions) {
    this.#api = api
    this.#targets = targets
    this.#options = options
    this.#total = targets.reduce((sum, { change }) => sum + change.operations.length, 0)
  }

  async plan(): Promise<readonly NamespacePlan[]> {
    try {
      const plans: NamespacePlan[] = []
      for (const target of this.#targets) if (!target.isNew) await this.#make(target)
      for (const target of this.#targets) plans.push(await this.#plan(target))
      return plans
    } catch (error) {
      await this.discard()
      throw error
    }
  }

  async apply(
    comment: string | undefined,
    onAsked: () => void,
  ): Promise<readonly AppliedNamespace[]> {
    const { signal, onProgress } = this.#options
    let isAsked = false
    try {
      for (const target of this.#targets) if (target.isNew) await this.#make(target)
      const made = [...this.#made]
      checkCount(made.length)
      if (made.length === 0) return []
      onProgress?.({ step: 'applying', done: 0, total: this.#total })
      const drafts = made.map(([, draft]) => draft)
      isAsked = true
      onAsked()
      const revisions = await applyDrafts(this.#api, drafts, { signal, comment })
      return made.map(([{ change, isNew }], place) => ({
        ...{ namespaceKey: change.namespaceKey, isNew, revision: revisions[place] ?? 0 },
      }))
    } catch (error) {
      const said = await this.#locate(error)
      if (!isAsked || isRefusal(said)) await this.discard()
      throw said
    }
  }

  async discard(): Promise<void> {
    await discardDrafts(this.#api, [...this.#made.values()])
    this.#made.clear()
  }

  async #make(target: Target): Promise<void> {
    const { operations, prune } = target.change
    if (operations.length === 0 && prune !== true) return
    const options = { signal: this.#options.signal, onDone: this.#count('sending') }
    this.#made.set(target, await makeDraft(this.#api, target.change, options))
  }

  /** What changes nothing is done. */
  async #plan(target: Target): Promise<NamespacePlan> {
    const { change, isNew } = target
    const { namespaceKey } = change
    if (isNew) return planNew(change)
    const draft = this.#made.get(target)
    if (draft === undefined) return { namespaceKey, isNew, plan: '', items: [], unchanged: 0 }
    const options = { signal: this.#options.signal, onDone: this.#count('planning') }
    const plan = await planDraft(this.#api, draft, options).catch((error: unknown) =>
      Promise.reject(toApplyError(change, error)),
    )
    if (plan.items.length > 0) this.#made.set(target, { ...draft, plan: plan.plan })
    else {
      this.#made.delete(target)
      await discardDrafts(this.#api, [draft])
    }
    return { namespaceKey, isNew, ...plan }
  }

  /** Adds up what is done of a step, for the caller. */
  #count(step: 'sending' | 'planning'): (count: number) => void {
    return (count) => {
      this.#done[step] += count
      this.#options.onProgress?.({ step, done: this.#done[step], total: this.#total })
    }
  }

  /** Drafts that fail together fail with one message: the plan of the one that it is about says the same. */
  async #locate(error: unknown): Promise<unknown> {
    if (!isAboutOperation(error)) return error
    const made = [...this.#made]
    const [only] = made
    if (only !== undefined && made.length === 1) return toApplyError(only[0].change, error)
    for (const [{ change }, draft] of made) {
      const said = await planDraft(this.#api, draft).catch((reason: unknown) => reason)
      if (said instanceof Error && said.message === error.message) {
        return toApplyError(change, error)
      }
    }
    return error
  }
}

function checkCount(count: number): void {
  if (count <= maxNamespaces) return
  const message = `at most ${maxNamespaces} namespaces can change at once, not ${count}: do it in several steps`
  throw new ApplyError(message, { reason: 'too_many_namespaces' })
}
