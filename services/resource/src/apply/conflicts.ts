import type { Queryable } from '@svc/database'
import { diffDocuments, type Kind, readDocument } from '@svc/documents'
import type { AppError } from '@svc/runtime'
import { type ChangedRecord, titleOf } from '../changes/changed-record.ts'
import { changedMembers } from '../documents/members.ts'
import type { Document } from './operations.ts'
import { expectationFailed } from './preconditions.ts'
import { type LaterItem, readLater } from './undo.store.ts'

/** An object that was changed since the change that is undone. */
export interface Conflict extends ChangedRecord {
  /** Those that were changed; none where the object as a whole is gone, or is there again. */
  readonly members: readonly string[]
}

/** The members in which two documents differ. */
export function differingMembers(
  kind: Kind,
  before: Document | undefined,
  after: Document | undefined,
): ReadonlySet<string> {
  return changedMembers(diffDocuments(kind, before, after))
}

/** Conflicts that a message names; that there are more is said. */
const maxNamed = 10

/** The error of an undo. @param revision of the change that was to be undone */
export async function conflictError(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
  conflicts: readonly Conflict[],
): Promise<AppError> {
  const named: string[] = []
  for (const conflict of conflicts.slice(0, maxNamed)) {
    const later = await readLater(tx, namespaceKey, conflict, revision)
    const title = titleOf(namespaceKey, conflict)
    named.push(`${title} has changed since${describe(conflict, later)}`)
  }
  const others = conflicts.length - named.length
  const more = others > 0 ? [`and ${others} more`] : []
  return expectationFailed([...named, ...more].join('; '))
}

/** `: rules (revision 45), name (revision 44)`; what was changed without the log has no revision. */
function describe({ kind, members }: Conflict, later: readonly LaterItem[]): string {
  if (members.length === 0) {
    const [last] = later
    return last === undefined ? '' : ` (revision ${last.revision})`
  }
  const causes = members.map((member) => {
    const cause = later.find(({ before, after }) =>
      differingMembers(kind, read(kind, before), read(kind, after)).has(member),
    )
    return cause === undefined ? member : `${member} (revision ${cause.revision})`
  })
  return `: ${causes.join(', ')}`
}

function read(kind: Kind, text: string | null): Document | undefined {
  return text === null ? undefined : readDocument(kind, text)
}
