import type { Queryable } from '@svc/database'
import { diffDocuments, type Kind, readDocument } from '@svc/documents'
import type { AppError } from '@svc/runtime'
import { type ChangedRecord, titleOf } from '../changes/changed-record.ts'
import { changedMembers } from '../documents/members.ts'
import type { ItemPlace } from '../history/items.store.ts'
import { readTextsOf } from '../history/items.ts'
import type { Document } from './operations.ts'
import { expectationFailed } from './preconditions.ts'
import { listLater } from './undo.store.ts'

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
    const causes = await describe(tx, namespaceKey, conflict, revision)
    named.push(`${titleOf(namespaceKey, conflict)} has changed since${causes}`)
  }
  const others = conflicts.length - named.length
  const more = others > 0 ? [`and ${others} more`] : []
  return expectationFailed([...named, ...more].join('; '))
}

/** `: rules (revision 45), name (revision 44)`; what was changed without the log has no revision. */
async function describe(
  tx: Queryable,
  namespaceKey: string,
  conflict: Conflict,
  revision: number,
): Promise<string> {
  const later = await listLater(tx, namespaceKey, conflict, revision)
  const { members } = conflict
  if (members.length === 0) {
    const [last] = later
    return last === undefined ? '' : ` (revision ${last.revision})`
  }
  const causes = await findCauses(tx, namespaceKey, conflict, later)
  const named = members.map((member) => {
    const cause = causes.get(member)
    return cause === undefined ? member : `${member} (revision ${cause})`
  })
  return `: ${named.join(', ')}`
}

/** Maximum bytes of documents that are read for the causes of one conflict. */
const maxBytes = 16 * 2 ** 20

/** The last change of each member, as far as it is found among the newest. @param later the newest first */
async function findCauses(
  tx: Queryable,
  namespaceKey: string,
  { kind, members }: Conflict,
  later: readonly ItemPlace[],
): Promise<ReadonlyMap<string, number>> {
  const causes = new Map<string, number>()
  let room = maxBytes
  for await (const { head, texts, bytes } of readTextsOf(tx, namespaceKey, later)) {
    const { before, after } = texts
    const changed = differingMembers(kind, read(kind, before), read(kind, after))
    for (const member of members) {
      if (changed.has(member) && !causes.has(member)) causes.set(member, head.revision)
    }
    room -= bytes
    if (causes.size === members.length || room < 0) break
  }
  return causes
}

function read(kind: Kind, text: string | null): Document | undefined {
  return text === null ? undefined : readDocument(kind, text)
}
