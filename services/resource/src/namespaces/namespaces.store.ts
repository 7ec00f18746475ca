import type { Queryable } from '@svc/database'
import {
  type CreateNamespaceRequest,
  Namespace,
  type UpdateNamespaceRequest,
} from '@svc/proto/resource/v1/namespaces'
import { type ListQuery, type Page, type PageOf, readPage } from '../paging.ts'
import { onlyRow } from '../rows.ts'
import { namespaceNotFound } from './namespaces.ts'

/** The message of a namespace `n`. */
const namespaceJson = `json_build_object(
  'key', n.key,
  'name', n.name,
  'description', n.description,
  'protected', n.protected,
  'createdAt', resource.instant(n.created_at),
  'updatedAt', resource.instant(n.updated_at))`

interface Row {
  namespace: Namespace
}

export const namespaceOrder = ['position']

export function listNamespaces(db: Queryable, page: Page): Promise<PageOf<Namespace>> {
  const query: ListQuery<Namespace, Namespace> = {
    from: ['resource.namespaces', 'n'],
    where: 'true',
    item: namespaceJson,
    bytes: 'octet_length(n.description)',
    order: namespaceOrder,
    values: [],
    toMessage: (namespace) => namespace,
    messageType: Namespace,
  }
  return readPage(db, query, page)
}

/** @throws {AppError} `not_found` when there is none */
export async function getNamespace(db: Queryable, key: string): Promise<Namespace> {
  const [row] = await db.query<Row>(
    `SELECT ${namespaceJson} AS namespace FROM resource.namespaces AS n WHERE n.key = $1`,
    [key],
  )
  if (row === undefined) throw namespaceNotFound(key)
  return row.namespace
}

/** @throws {ConstraintViolation} of `namespace_is_unique` */
export async function insertNamespaceRow(
  db: Queryable,
  { key, name, description }: CreateNamespaceRequest,
): Promise<Namespace> {
  const rows = await db.query<Row>(
    `INSERT INTO resource.namespaces AS n (key, name, description) VALUES ($1, $2, $3)
     RETURNING ${namespaceJson} AS namespace`,
    [key, name, description],
  )
  return onlyRow(rows).namespace
}

/** The namespace is there: its row is held. */
export async function updateNamespaceRow(
  db: Queryable,
  { key, name, description }: UpdateNamespaceRequest,
): Promise<Namespace> {
  const rows = await db.query<Row>(
    `UPDATE resource.namespaces AS n
        SET name = $2, description = $3, updated_at = statement_timestamp()
      WHERE n.key = $1
      RETURNING ${namespaceJson} AS namespace`,
    [key, name, description],
  )
  return onlyRow(rows).namespace
}

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

/** With everything in it, and its tombstones: whoever held it will be told that it is gone. */
export async function deleteNamespaceRow(db: Queryable, key: string): Promise<void> {
  // Flags first, for their rules and rollouts keep segments from being deleted.
  await deleteAll(db, 'resource.flags', key)
  await deleteAll(db, 'resource.segments', key)
  await db.query('DELETE FROM resource.tombstones WHERE namespace_key = $1', [key])
  await db.query('DELETE FROM resource.namespaces WHERE key = $1', [key])
}

/** A tenth of a second's work, where no statement may take longer than two. */
const portion = 1000

async function deleteAll(
  db: Queryable,
  table: 'resource.flags' | 'resource.segments',
  namespaceKey: string,
): Promise<void> {
  for (let deleted = portion; deleted === portion; ) {
    const rows = await db.query(
      `DELETE FROM ${table}
        WHERE namespace_key = $1
          AND key IN (SELECT key FROM ${table} WHERE namespace_key = $1 LIMIT $2)
        RETURNING key`,
      [namespaceKey, portion],
    )
    deleted = rows.length
  }
}
