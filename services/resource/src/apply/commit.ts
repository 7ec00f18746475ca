import type { Database, Queryable } from '@svc/database'
import type { ApplyResult } from '@svc/proto/resource/v1/apply'
import { commitChange, type Target } from '../changes/commit.ts'
import type { ChangeOptions } from '../changes/finish.ts'
import type { ChangeContext } from '../changes/origin.ts'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { type Applied, type ApplyOptions, applyOperations, type Operations } from './apply.ts'

/** What was done in a change. */
export interface Done {
  readonly applied: Applied
  readonly change: ChangeRecorder
}

/** @param done after its commit, or its end where it was only tried */
export function toResult({ applied, change }: Done, { isDryRun }: ChangeOptions): ApplyResult {
  const revision = change.revision ?? change.previousRevision ?? 0
  return { ...applied, items: [...applied.items], revision: isDryRun ? 0 : revision }
}

/**
 * Operations in a change of their own.
 *
 * @param then what else is read in its transaction
 * @returns what `missing` gives when there is no such namespace
 */
export function commitOperations<Missing = never>(
  db: Database,
  target: Target,
  context: ChangeContext,
  operations: Operations,
  options: ApplyOptions & ChangeOptions & { readonly missing?: () => Missing },
  then: (tx: Queryable, change: ChangeRecorder) => Promise<void> = async () => {},
): Promise<Done | Missing> {
  const { missing, ...rest } = options
  return commitChange<Done | Missing>(
    db,
    target,
    context,
    async (tx, change) => {
      const applied = await applyOperations(tx, change, operations, options)
      await then(tx, change)
      return { applied, change }
    },
    { source: 'apply', ...rest, ...(missing && { missing }) },
  )
}
