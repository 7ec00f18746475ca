import type { Queryable } from '@svc/database'
import { microseconds } from '../records/instants.ts'

/** A change as it is stored, without its items. */
export interface StoredChange {
  readonly revision: number
  /** In microseconds since 1970. */
  readonly at: number
  readonly actor: string
  /** `null` once it was erased, as is the name. */
  readonly method: string | null
  readonly name: string | null
  readonly address: string | null
  readonly source: string
  readonly comment: string
  readonly requestId: string
  readonly details: Readonly<Record<string, unknown>> | null
  readonly previousHash: Buffer
  readonly hash: Buffer
  readonly keyId: string
  readonly itemCount: number
}

const columns = `
  c.revision, ${microseconds('c.at')} AS at, c.actor, a.method, a.name, c.address, c.source, c.comment,
  c.request_id AS "requestId", c.details, c.previous_hash AS "previousHash", c.hash,
  c.key_id AS "keyId", (
    SELECT coalesce(max(place) + 1, 0) FROM resource.change_items AS i
     WHERE i.namespace_key = c.namespace_key AND i.revision = c.revision) AS "itemCount"`

export interface ChangeFilter {
  readonly kind: string | null
  /** Of an object; needs a kind. */
  readonly key: string | null
  readonly actor: string | null
  readonly source: string | null
  /** RFC 3339; the first instant. */
  readonly since: string | null
  /** RFC 3339; the first instant that is too late. */
  readonly until: string | null
}

/** Which changes, and where among them. */
export interface ChangePage {
  readonly namespaceKey: string
  readonly filter: ChangeFilter
  /** The oldest first. */
  readonly isAscending: boolean
  /** The revision at which the page before ended. */
  readonly place: number
  readonly limit: number
}

/** One text for each order and for an object's own history: each is a statement that is prepared once. */
export async function readChanges(
  tx: Queryable,
  { namespaceKey, filter, isAscending, place, limit }: ChangePage,
): Promise<StoredChange[]> {
  const { kind, key, actor, source, since, until } = filter
  const [from, revision] = key === null ? ['', 'c.revision'] : [ofObject, 'o.revision']
  return tx.query<StoredChange>(
    `SELECT ${columns}
       FROM ${from} resource.changes AS c LEFT JOIN resource.actors AS a ON a.id = c.actor
      WHERE c.namespace_key = $1 AND ${revision} ${isAscending ? '>' : '<'} $2
        ${key === null ? isOfKind : isOfObject}
        AND ($5::text IS NULL OR c.actor = $5) AND ($6::text IS NULL OR c.source = $6)
        AND ($7::timestamptz IS NULL OR c.at >= $7) AND ($8::timestamptz IS NULL OR c.at < $8)
      ORDER BY ${revision} ${isAscending ? '' : 'DESC'} LIMIT $9`,
    [namespaceKey, place, kind, key, actor, source, since, until, limit],
  )
}

const ofObject = 'resource.change_items AS o CROSS JOIN'
const isOfObject =
  'AND o.namespace_key = $1 AND o.kind = $3 AND o.key = $4 AND c.revision = o.revision'
// The key is none, but every text has the same parameters.
const isOfKind = `
  AND ($3::text IS NULL OR $4::text IS NOT NULL OR EXISTS (
        SELECT FROM resource.change_items AS i
         WHERE i.namespace_key = $1 AND i.revision = c.revision AND i.kind = $3))`

export async function findChange(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<StoredChange | undefined> {
  const [change] = await tx.query<StoredChange>(
    `SELECT ${columns}
       FROM resource.changes AS c LEFT JOIN resource.actors AS a ON a.id = c.actor
      WHERE c.namespace_key = $1 AND c.revision = $2`,
    [namespaceKey, revision],
  )
  return change
}
