import type { Queryable } from '@svc/database'
import { Namespace } from '@svc/proto/resource/v1/namespaces'
import { settingsRevision } from '../documents/documents.store.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { onlyRow, type Summary, Table } from '../records/table.ts'

type NamespaceRow = RowOf<Omit<Namespace, 'flagCount' | 'segmentCount'>> &
  Required<Pick<Namespace, 'color' | 'confirm'>>

const countOf = (table: string) =>
  `(SELECT count(*) FROM resource.${table} AS t WHERE t.namespace_key = namespaces.key)`

const summary: Summary<Namespace, [flagCount: number, segmentCount: number]> = {
  sql: `json_build_array(${countOf('flags')}, ${countOf('segments')})`,
  toMembers: ([flagCount, segmentCount]) => ({ flagCount, segmentCount }),
}

export const namespaces = new Table<NamespaceRow, Namespace>({
  kind: 'namespace',
  key: ['key'],
  fields: ['name', 'description', 'color', 'confirm'],
  more: ['namespaces.protected'],
  revision: settingsRevision,
  // Left out as long as they are not used: clients may be strict about the members that they know.
  toMessage: ({ color, confirm, ...row }) => ({
    ...withInstants(row),
    ...(color !== '' && { color }),
    ...(confirm && { confirm }),
  }),
  list: {
    order: ['position'],
    bytes: 'octet_length(description)',
    isNamespaceList: false,
    messageType: Namespace,
  },
  summary,
})

/** What may keep a namespace from being deleted. */
export async function readObstacles(
  db: Queryable,
  key: string,
): Promise<{ isProtected: boolean; hasFlags: boolean }> {
  const rows = await db.query<{ isProtected: boolean; hasFlags: boolean }>(
    `SELECT protected AS "isProtected",
            EXISTS (SELECT FROM resource.flags WHERE namespace_key = $1) AS "hasFlags"
       FROM resource.namespaces WHERE key = $1`,
    [key],
  )
  return onlyRow(rows)
}

/** How many flags and segments there are. */
export async function countContent(db: Queryable, key: string): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM resource.flags WHERE namespace_key = $1)
            + (SELECT count(*) FROM resource.segments WHERE namespace_key = $1) AS count`,
    [key],
  )
  return onlyRow(rows).count
}

/** With everything in it, and its tombstones: gateways that held it are sent the deletion. */
export async function deleteNamespaceRow(db: Queryable, key: string): Promise<void> {
  // Flags first: their rules and rollouts keep segments from being deleted.
  await deleteAll(db, 'flags', key)
  await deleteAll(db, 'segments', key)
  await db.query('DELETE FROM resource.tombstones WHERE namespace_key = $1', [key])
  await db.query('DELETE FROM resource.namespaces WHERE key = $1', [key])
}

/** A tenth of a second's work, where no statement may take longer than two. */
const portion = 1000

async function deleteAll(
  db: Queryable,
  table: 'flags' | 'segments',
  namespaceKey: string,
): Promise<void> {
  for (let deleted = portion; deleted === portion; ) {
    const rows = await db.query(
      `DELETE FROM resource.${table}
        WHERE namespace_key = $1
          AND key IN (SELECT key FROM resource.${table} WHERE namespace_key = $1 LIMIT $2)
        RETURNING key`,
      [namespaceKey, portion],
    )
    deleted = rows.length
  }
}
