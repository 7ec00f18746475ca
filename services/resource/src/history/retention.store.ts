import type { Queryable } from '@svc/database'
import { storedBytes } from './items.store.ts'

/** Maximum changes of a portion. */
export const portionSize = 1000

/** Maximum items of a portion, unless its only change has more: some 100 ms. */
const maxItems = 5000

/** The same of the bytes of their documents as they are stored: some 100 ms. */
const maxStoredBytes = 64 * 2 ** 20

/** Maximum namespaces that a run looks after. Those beyond have their turn in a later one. */
const maxNamespaces = 1000

/** SQL of the instant that is so many milliseconds ago. @param ms a parameter */
const ago = (ms: string) => `now() - ${ms}::bigint * interval '1 millisecond'`

/** What is due in a namespace. They come at random, so that none that fails is always before another. */
async function listNamespaces(db: Queryable, isDue: string, ageMs: number): Promise<string[]> {
  const rows = await db.query<{ key: string }>(
    `SELECT namespace_key AS key FROM resource.chains AS chain
      WHERE ${isDue} ORDER BY random() LIMIT ${maxNamespaces}`,
    [ageMs],
  )
  return rows.map(({ key }) => key)
}

/** Namespaces with addresses to erase. */
export function listWithAddresses(db: Queryable, ageMs: number): Promise<string[]> {
  const isDue = `EXISTS (
    SELECT FROM resource.changes AS c
     WHERE c.namespace_key = chain.namespace_key AND at > erased_until AND at < ${ago('$1')})`
  return listNamespaces(db, isDue, ageMs)
}

/** Namespaces with changes to delete: the newest is none of them. */
export function listWithOld(db: Queryable, ageMs: number): Promise<string[]> {
  const isDue = `EXISTS (
    SELECT FROM resource.changes AS c
     WHERE c.namespace_key = chain.namespace_key AND at < ${ago('$1')}
       AND c.revision > pruned_revision AND c.revision < chain.revision)`
  return listNamespaces(db, isDue, ageMs)
}

/** Erases the addresses of a portion, the oldest first. @returns how many changes it has looked at */
export async function eraseAddresses(
  tx: Queryable,
  namespaceKey: string,
  ageMs: number,
): Promise<number> {
  const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(
    `WITH portion AS MATERIALIZED (
       SELECT at FROM resource.changes
        WHERE namespace_key = $1 AND at < ${ago('$2')}
          AND at > (SELECT erased_until FROM resource.chains WHERE namespace_key = $1)
        ORDER BY at LIMIT ${portionSize}),
     erased AS (
       UPDATE resource.changes SET address = NULL
        WHERE namespace_key = $1 AND address IS NOT NULL
          AND at BETWEEN (SELECT min(at) FROM portion) AND (SELECT max(at) FROM portion))
     UPDATE resource.chains SET erased_until = (SELECT max(at) FROM portion)
      WHERE namespace_key = $1 AND EXISTS (SELECT FROM portion)
      RETURNING (SELECT count(*) FROM portion) AS count`,
    [namespaceKey, ageMs],
  )
  return count
}

/** The newest of the old changes whose key is among these. Its MAC may prove that it is old. */
export async function findNewestOld(
  tx: Queryable,
  namespaceKey: string,
  ageMs: number,
  keyIds: readonly string[],
): Promise<number | undefined> {
  const [newest] = await tx.query<{ revision: number }>(
    `SELECT revision FROM resource.changes
      WHERE namespace_key = $1 AND at < ${ago('$2')} AND key_id = ANY ($3::text[])
        AND revision > (SELECT pruned_revision FROM resource.chains WHERE namespace_key = $1)
      ORDER BY at DESC, revision DESC LIMIT 1`,
    [namespaceKey, ageMs, keyIds],
  )
  return newest?.revision
}

/** A change that may be deleted. */
export interface OldChange {
  readonly revision: number
  readonly hash: Buffer
  /** By its own time. */
  readonly isOld: boolean
}

/** A portion of the oldest changes up to a revision, without the newest of the namespace. */
export async function listOldest(
  tx: Queryable,
  namespaceKey: string,
  ageMs: number,
  upTo: number,
): Promise<OldChange[]> {
  const isNext = `
    namespace_key = $1 AND revision <= $3
      AND revision > (SELECT pruned_revision FROM resource.chains WHERE namespace_key = $1)`
  // Of the items no more are read than a portion may have: a thousand changes may have millions.
  const rows = await tx.query<OldChange & { readonly fits: boolean }>(
    `WITH item AS (
       SELECT revision, ${storedBytes} AS bytes FROM resource.change_items
        WHERE ${isNext} ORDER BY revision, place LIMIT ${maxItems + 1}),
     total AS (
       SELECT revision, count(*) OVER upto AS items, sum(bytes) OVER upto AS bytes
         FROM item WINDOW upto AS (ORDER BY revision)),
     beyond AS (
       SELECT min(revision) AS revision FROM total
        WHERE items > ${maxItems} OR bytes > ${maxStoredBytes})
     SELECT revision, hash, at < ${ago('$2')} AS "isOld",
            coalesce(revision < (SELECT revision FROM beyond), true) AS fits
       FROM resource.changes
      WHERE ${isNext}
        AND revision < (SELECT max(revision) FROM resource.changes WHERE namespace_key = $1)
      ORDER BY revision LIMIT ${portionSize}`,
    [namespaceKey, ageMs, upTo],
  )
  return rows.filter(({ fits }, index) => fits || index === 0)
}

/** Where the log of a namespace begins, and what proves it. */
export interface Beginning {
  readonly revision: number
  readonly hash: Buffer
  readonly mac: Buffer
  readonly keyId: string
}

/** Deletes changes up to a revision, and lets the chain begin after it. */
export async function deleteUpTo(
  tx: Queryable,
  namespaceKey: string,
  { revision, hash, mac, keyId }: Beginning,
): Promise<void> {
  // What is from before the present beginning is none of retention's: it is a break.
  const portion = `
    WHERE namespace_key = $1 AND revision <= $2
      AND revision > (SELECT pruned_revision FROM resource.chains WHERE namespace_key = $1)`
  await Promise.all([
    tx.query(`DELETE FROM resource.change_items ${portion}`, [namespaceKey, revision]),
    tx.query(`DELETE FROM resource.changes ${portion}`, [namespaceKey, revision]),
    // Last, for writers wait for this row.
    tx.query(
      `UPDATE resource.chains
          SET pruned_revision = $2, pruned_hash = $3, pruned_mac = $4, pruned_key_id = $5
        WHERE namespace_key = $1`,
      [namespaceKey, revision, hash, mac, keyId],
    ),
  ])
}

/** The head of a chain. */
export interface Head {
  readonly namespaceKey: string
  readonly revision: number
  readonly hash: Buffer
}

/** The heads that changed and were last taken an hour ago or more: at most 1,000, the longest ago first. */
export async function takeHeads(tx: Queryable): Promise<Head[]> {
  return tx.query<Head>(
    `UPDATE resource.chains
        SET witnessed_revision = revision, witnessed_at = now()
      WHERE namespace_key IN (
              SELECT namespace_key FROM resource.chains
               WHERE revision > witnessed_revision AND revision > started_revision
                 AND coalesce(witnessed_at, '-infinity') <= now() - interval '1 hour'
               ORDER BY witnessed_at NULLS FIRST LIMIT ${portionSize} FOR UPDATE SKIP LOCKED)
      RETURNING namespace_key AS "namespaceKey", revision, hash`,
  )
}
