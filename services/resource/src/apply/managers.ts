import { AppError } from '@svc/runtime'
import type { Head, Heads } from './heads.store.ts'

/** Who keeps the objects of an apply from now on, and what that entails. */
export interface Management {
  /** Left out: it stays; empty: they are kept by hand. */
  readonly manager?: string | undefined
  readonly prune?: boolean
  readonly takeOver?: boolean
}

/** @throws {AppError} `managed_by_other` */
export function checkKeptBy(
  name: string,
  { manager = '', takeOver = false }: Management,
  head: Head | undefined,
): void {
  const keeper = head?.managedBy ?? ''
  if (manager === '' || keeper === '' || keeper === manager || takeOver) return
  throw new AppError('already_exists', 'managed_by_other', `${name} is kept by "${keeper}"`)
}

/** So many may go without a look at the plan. */
const maxUnplanned = 10

/**
 * What a manager keeps and no operation names.
 *
 * @param kept all that it keeps
 * @throws {AppError} `prune_needs_plan` when that is a lot, and no plan was looked at
 */
export function toPrune(
  kept: Heads,
  named: ReadonlySet<string>,
  { sets, isPlanned }: { readonly sets: boolean; readonly isPlanned: boolean },
): Head[] {
  const pruned = [...kept].filter(([id]) => !named.has(id)).map(([, head]) => head)
  const isMuch = pruned.length > maxUnplanned && pruned.length > kept.size / 2
  if (!isPlanned && pruned.length > 0 && (isMuch || !sets)) {
    const message =
      `prune would delete ${pruned.length} of ${kept.size} objects: look at a dry run, ` +
      'and send its plan with the request'
    throw new AppError('invalid_argument', 'prune_needs_plan', message)
  }
  return pruned
}
