import type { ApplyResult, Change, ChangeItem, OperationInput } from '@svc/client/api'
import { api } from '../data/api.ts'
import { type Written, write } from '../data/writes.ts'
import { readJson } from './documents.ts'

/** Something that is looked at before it is done. */
export interface Plan {
  /** What it would change now. */
  look(isForced: boolean): Promise<ApplyResult>
  /** Does it, unless something has changed since it was looked at. */
  run(looked: ApplyResult, comment: string, isForced: boolean): Promise<Written<ApplyResult>>
}

/** Puts back what a change has changed. */
export function undoPlan(namespaceKey: string, { revision }: Change): Plan {
  const request = { namespaceKey, revision: String(revision) }
  return {
    look: (force) => api.documents.undoChange({ ...request, force, dryRun: true }),
    run: ({ plan }, comment, force) =>
      write(namespaceKey, (options) =>
        api.documents.undoChange({ ...request, force, plan, comment }, options),
      ),
  }
}

/** What an operation may be about. */
const members = {
  FLAG_KIND: 'flag',
  SEGMENT_KIND: 'segment',
  NAMESPACE_KIND: 'settings',
} as const

/**
 * Makes an object what a change had made of it, as a change of its own.
 *
 * @returns nothing when it was deleted by the change, or its document is not known
 */
export function restorePlan(
  namespaceKey: string,
  { revision }: Change,
  item: ChangeItem,
): Plan | undefined {
  const document = readJson(item.after)
  if (item.kind === 'UNKNOWN_KIND' || document === undefined) return undefined
  const operation = {
    kind: item.kind,
    ...(item.kind !== 'NAMESPACE_KIND' && { key: item.key }),
    [members[item.kind]]: document,
  } satisfies OperationInput
  const request = {
    namespaceKey,
    operations: [operation],
    details: { from: `${namespaceKey}:${revision}` },
  }
  return {
    look: () => api.documents.apply({ ...request, dryRun: true }),
    // `plan` is of the revision that the object had: it is refused when others have changed it since.
    run: ({ plan }, comment) =>
      write(namespaceKey, (options) => api.documents.apply({ ...request, plan, comment }, options)),
  }
}
