import type { Database, Queryable } from '@svc/database'
import { commitChange, type Target } from '../changes/commit.ts'
import type { ChangeOptions } from '../changes/finish.ts'
import type { ChangeContext } from '../changes/origin.ts'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { type Applied, type ApplyOptions, applyOperations, type Operations } from './apply.ts'

/** A change that was made, or tried. */
export interface Committed extends Applied {
  /** Of the namespace: the present one when nothing was changed, 0 when it was only tried. */
  readonly revision: number
}

/** Operations in a change of their own. @param then what else is read in its transaction */
export async function commitOperations(
  db: Database,
  target: Target,
  context: ChangeContext,
  operations: Operations,
  options: ApplyOptions & ChangeOptions & { readonly missing?: () => undefined },
  then: (tx: Queryable, change: ChangeRecorder) => Promise<void> = async () => {},
): Promise<Committed> {
  const { missing, ...rest } = options
  const done = await commitChange(
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
  if (done === undefined) return nothing
  const { applied, change } = done
  const revision = change.revision ?? change.previousRevision ?? 0
  return { ...applied, revision: options.isDryRun ? 0 : revision }
}

const nothing: Committed = { plan: '', items: [], unchanged: 0, revision: 0 }
