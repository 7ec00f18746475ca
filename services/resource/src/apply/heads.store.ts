import type { Queryable } from '@svc/database'
import type { Kind } from '@svc/documents'
import { type ChangedRecord, idOf } from '../changes/changed-record.ts'

/** What is known of an object without reading it. */
export interface Head extends ChangedRecord {
  /** Of the last change to it. */
  readonly revision: number
  readonly managedBy: string
  /** How much it takes with everything in it. */
  readonly bytes: number
}

/** By `idOf`; what does not exist is left out. */
export type Heads = ReadonlyMap<string, Head>

const columns = (kind: Kind) => `'${kind}' AS kind, key, revision, managed_by AS "managedBy"`

export async function readHeads(
  tx: Queryable,
  namespaceKey: string,
  subjects: readonly ChangedRecord[],
): Promise<Heads> {
  const keysOf = (kind: Kind) => subjects.filter((one) => one.kind === kind).map(({ key }) => key)
  const rows = await tx.query<Head>(
    `SELECT ${columns('flag')}, held_bytes AS bytes
       FROM resource.flags WHERE namespace_key = $1 AND key = ANY ($2::text[])
      UNION ALL
     SELECT ${columns('segment')}, held_bytes
       FROM resource.segments WHERE namespace_key = $1 AND key = ANY ($3::text[])
      UNION ALL
     SELECT 'namespace', key,
            CASE settings_revision WHEN 0 THEN revision ELSE settings_revision END, '',
            octet_length(description)
       FROM resource.namespaces WHERE key = $1 AND key = ANY ($4::text[])`,
    [namespaceKey, keysOf('flag'), keysOf('segment'), keysOf('namespace')],
    { isRead: true },
  )
  return byId(rows)
}

/** All that a manager keeps in a namespace. */
export async function readManaged(
  tx: Queryable,
  namespaceKey: string,
  manager: string,
): Promise<Heads> {
  const rows = await tx.query<Head>(
    `SELECT ${columns('flag')}, held_bytes AS bytes
       FROM resource.flags WHERE namespace_key = $1 AND managed_by = $2 AND managed_by <> ''
      UNION ALL
     SELECT ${columns('segment')}, held_bytes
       FROM resource.segments WHERE namespace_key = $1 AND managed_by = $2 AND managed_by <> ''
      ORDER BY kind, key`,
    [namespaceKey, manager],
    { isRead: true },
  )
  return byId(rows)
}

function byId(heads: readonly Head[]): Heads {
  return new Map(heads.map((head) => [idOf(head), head]))
}
