import type { Queryable } from '@svc/database'
import {
  type CreateNamespaceRequest,
  Namespace,
  type UpdateNamespaceRequest,
} from '@svc/proto/resource/v1/namespaces'
import { microseconds, toInstant } from '../instants.ts'
import { type ListQuery, type Page, type PageOf, readPage } from '../lists/paging.ts'
import { onlyRow } from '../rows.ts'
import { namespaceNotFound } from './namespaces.ts'

/** A namespace `n`: what every reader of namespaces selects. */
const namespaceColumns = `n.key, n.name, n.description, n.protected,
  ${microseconds('n.created_at')} AS "createdAt", ${microseconds('n.updated_at')} AS "updatedAt"`

type NamespaceRow = Pick<Namespace, 'key' | 'name' | 'description' | 'protected'> & {
  readonly createdAt: number
  readonly updatedAt: number
}

function toNamespace(row: NamespaceRow): Namespace {
  return {
    key: row.key,
    name: row.name,
    description: row.description,
    protected: row.protected,
    createdAt: toInstant(row.createdAt),
    updatedAt: toInstant(row.updatedAt),
  }
}

export const namespaceOrder = ['position']

export function listNamespaces(db: Queryable, page: Page): Promise<PageOf<Namespace>> {
  const query: ListQuery<NamespaceRow, Namespace> = {
    from: ['resource.namespaces', 'n'],
    where: 'true',
    columns: namespaceColumns,
    bytes: 'octet_length(n.description)',
    isNamespaceList: false,
    order: namespaceOrder,
    values: [],
    toMessage: toNamespace,
    messageType: Namespace,
  }
  return readPage(db, query, page)
}

/** @throws {AppError} `not_found` when there is none */
export async function getNamespace(db: Queryable, key: string): Promise<Namespace> {
  const [row] = await db.query<NamespaceRow>(
    `SELECT ${namespaceColumns} FROM resource.namespaces AS n WHERE n.key = $1`,
    [key],
  )
  if (row === undefined) throw namespaceNotFound(key)
  return toNamespace(row)
}

/** @throws {ConstraintViolation} of `namespace_is_unique` */
export async function insertNamespaceRow(
  db: Queryable,
  { key, name, description }: CreateNamespaceRequest,
): Promise<Namespace> {
  const rows = await db.query<NamespaceRow>(
    `INSERT INTO resource.namespaces AS n (key, name, description) VALUES ($1, $2, $3)
     RETURNING ${namespaceColumns}`,
    [key, name, description],
  )
  return toNamespace(onlyRow(rows))
}

/** The namespace is there: its row is held. */
export async function updateNamespaceRow(
  db: Queryable,
  { key, name, description }: UpdateNamespaceRequest,
): Promise<Namespace> {
  const rows = await db.query<NamespaceRow>(
    `UPDATE resource.namespaces AS n
        SET name = $2, description = $3, updated_at = statement_timestamp()
      WHERE n.key = $1
      RETURNING ${namespaceColumns}`,
    [key, name, description],
  )
  return toNamespace(onlyRow(rows))
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

/** With everything in it, and its tombstones: gateways that held it are told of the namespace. */
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
