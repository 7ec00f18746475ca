import { delay, outageMs, retried } from '../retry.ts'
import type { NamespaceOperations } from './apply.ts'
import type { ApplyApi, DraftName, PlannedItem } from './apply-api.ts'
import { ApplyError, toApplyError } from './apply-error.ts'
import { toParts } from './parts.ts'

/** The service gives an apply ten minutes; it may be unavailable at the end of them. */
const applyTimeoutMs = 660_000

/** Between two questions whether drafts are applied, in milliseconds. */
const minPollMs = 100
const maxPollMs = 1000

/** Operations of one page of a plan. */
const pageSize = 1000

export interface DraftOptions {
  readonly signal?: AbortSignal | undefined
  /** Is told how many more operations are done. */
  readonly onDone?: (count: number) => void
}

/** Makes a draft of operations, in parts. It is deleted again when one of them is refused. */
export async function makeDraft(
  api: ApplyApi,
  change: NamespaceOperations,
  { signal, onDone }: DraftOptions = {},
): Promise<DraftName> {
  const { namespaceKey, operations, create: _, ...keeping } = change
  const retry = { signal, timeoutMs: outageMs }
  const { id } = await retried(retry, () =>
    api.drafts.create({ namespaceKey, ...keeping }, { signal }),
  )
  const draft = { namespaceKey, id }
  let part = 0
  try {
    for (const sent of toParts(operations)) {
      part += 1
      const request = { ...draft, part, operations: sent }
      await retried(retry, () => api.drafts.addOperations(request, { signal }))
      onDone?.(sent.length)
    }
  } catch (error) {
    await discardDrafts(api, [draft])
    throw toApplyError(change, error, part)
  }
  return draft
}

export interface DraftPlan {
  readonly plan: string
  readonly items: readonly PlannedItem[]
  readonly unchanged: number
}

/** All pages of the plan of a draft. */
export async function planDraft(
  api: ApplyApi,
  draft: DraftName,
  { signal, onDone }: DraftOptions = {},
): Promise<DraftPlan> {
  const items: PlannedItem[] = []
  let unchanged = 0
  let pageToken = ''
  for (;;) {
    const request = { ...draft, limit: pageSize, pageToken }
    const page = await retried({ signal, timeoutMs: outageMs }, () =>
      api.drafts.plan(request, { signal }),
    )
    items.push(...page.items)
    unchanged += page.unchanged
    onDone?.(page.items.length + page.unchanged)
    pageToken = page.nextPageToken
    if (pageToken === '') return { plan: page.plan, items, unchanged }
  }
}

/** A draft, with its plan if it has one. */
export interface DraftToApply extends DraftName {
  readonly plan?: string
}

/**
 * Applies drafts together, and waits until they are.
 *
 * @returns the revision of each
 * @throws {ApplyError} when that fails; nothing is done then
 */
export async function applyDrafts(
  api: ApplyApi,
  drafts: readonly DraftToApply[],
  {
    signal,
    comment,
  }: { readonly signal?: AbortSignal | undefined; readonly comment?: string | undefined },
): Promise<readonly number[]> {
  const retry = { signal, timeoutMs: outageMs }
  await retried(retry, () => api.drafts.apply({ drafts, comment }, { signal }))
  const revisions: number[] = []
  // They are settled together, so that all but the first are at once.
  for (const draft of drafts) revisions.push(await settle(api, draft, signal))
  return revisions
}

async function settle(
  api: ApplyApi,
  { namespaceKey, id }: DraftName,
  signal: AbortSignal | undefined,
): Promise<number> {
  const end = performance.now() + applyTimeoutMs
  for (let pollMs = minPollMs; ; pollMs = Math.min(1.5 * pollMs, maxPollMs)) {
    const { state, revision, failure, failureReason } = await retried(
      { signal, timeoutMs: end - performance.now() },
      () => api.drafts.get({ namespaceKey, id }, { signal }),
    )
    if (state === 'APPLIED_DRAFT_STATE') return revision
    if (state !== 'APPLYING_DRAFT_STATE') throw new ApplyError(failure, { reason: failureReason })
    if (performance.now() > end) {
      const message = `draft "${id}" of namespace "${namespaceKey}" is still being applied`
      throw new ApplyError(message, { reason: 'still_applying' })
    }
    await delay(pollMs, signal)
  }
}

/** Deletes drafts, as far as that succeeds: the service drops them after a day. */
export async function discardDrafts(api: ApplyApi, drafts: readonly DraftName[]): Promise<void> {
  // Drafts that are applied, or being applied, stay.
  await Promise.allSettled(
    drafts.map(({ namespaceKey, id }) => api.drafts.delete({ namespaceKey, id })),
  )
}
