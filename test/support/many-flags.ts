import { readFileSync } from 'node:fs'
import type { Database, Queryable } from '@svc/database'

export interface ManyFlags {
  /** Made when missing. */
  readonly namespaceKeys: readonly string[]
  /** In each of them. */
  readonly count: number
  /** Of the flags in `default`, such as the demo has; the copies are called `<key>-<number>`. */
  readonly copied: readonly string[]
}

/** This file is test/dist/support/many-flags.js. */
const readSql = (name: string) =>
  readFileSync(new URL(`../../fixtures/many-flags/${name}.sql`, import.meta.url), 'utf8')
const segmentsSql = readSql('segments')
const flagsSql = readSql('flags')

/** A statement for as many takes some tens of milliseconds, and must not take two seconds anywhere. */
const flagsPerStatement = 500

/** From here on, reading whole tables takes most of the time. */
const manyAtOnce = 10_000

/**
 * Fills namespaces with copies of flags, and with all segments of `default`. By SQL, for through the
 * API it would take hours; in the end it is one change in each namespace, announced as any other.
 */
export async function makeManyFlags(db: Database, many: ManyFlags): Promise<void> {
  // Looking at each key takes longer than all the rest, and these are copies of keys that are good.
  await db.query('ALTER DOMAIN resource.key DROP CONSTRAINT IF EXISTS key_is_valid')
  for (const namespaceKey of many.namespaceKeys) {
    await db.transaction(async (tx) => {
      // Whether everything that is referred to exists need not be asked half a million times.
      await tx.query(`SET LOCAL session_replication_role = 'replica'`)
      // The tables grow, what is known of their sizes does not: they would be read as a whole each time.
      if (many.count > manyAtOnce) await tx.query('SET LOCAL enable_seqscan = off')
      const revision = await takeRevision(tx, namespaceKey)
      if (namespaceKey !== 'default') await tx.query(segmentsSql, [namespaceKey, revision])
      for (let first = 0; first < many.count; first += flagsPerStatement) {
        const last = Math.min(first + flagsPerStatement, many.count) - 1
        await tx.query(flagsSql, [namespaceKey, revision, first, last, many.copied])
      }
      await tx.query('SELECT pg_notify($1, $2)', ['resource_changes', namespaceKey])
    })
  }
  await db.query(
    `ALTER DOMAIN resource.key ADD CONSTRAINT key_is_valid
       CHECK (VALUE ~ '^[-_,A-Za-z0-9]{1,255}$') NOT VALID`,
  )
  const tables = ['flags', 'variants', 'rules', 'rule_segments', 'distributions', 'rollouts']
  for (const table of tables) await db.query(`ANALYZE resource.${table}`)
}

/** The key of one of the copies, by a number from 0 to below `count`. */
export function nameOfCopy({ copied }: ManyFlags, number: number): string {
  return `${copied[number % copied.length]}-${number}`
}

/**
 * Turns a flag on or off, by SQL as well: what the API takes is not part of what is measured.
 *
 * @returns the state it now has, and the revision of that
 */
export async function toggleFlag(
  db: Queryable,
  namespaceKey: string,
  key: string,
): Promise<{ readonly enabled: boolean; readonly revision: number }> {
  const [row] = await db.query<{ enabled: boolean; revision: number }>(
    `WITH next AS MATERIALIZED (SELECT nextval('resource.revisions') AS revision),
     namespace AS (
       UPDATE resource.namespaces SET revision = next.revision FROM next WHERE key = $1),
     flag AS (
       UPDATE resource.flags AS f SET enabled = NOT enabled, revision = next.revision
         FROM next WHERE f.namespace_key = $1 AND f.key = $2 RETURNING enabled)
     SELECT enabled, revision, pg_notify('resource_changes', $1 || ':' || revision)
       FROM flag, next`,
    [namespaceKey, key],
  )
  if (row === undefined) throw new Error(`there is no flag ${key}`)
  return row
}

/**
 * Turns flags on or off, all in one change.
 *
 * @returns its revision
 */
export function toggleFlags(
  db: Database,
  namespaceKey: string,
  keys: readonly string[],
): Promise<number> {
  return db.transaction(async (tx) => {
    const revision = await takeRevision(tx, namespaceKey)
    for (let first = 0; first < keys.length; first += flagsPerStatement) {
      await tx.query(
        `UPDATE resource.flags SET enabled = NOT enabled, revision = $3
          WHERE namespace_key = $1 AND key = ANY($2)`,
        [namespaceKey, keys.slice(first, first + flagsPerStatement), revision],
      )
    }
    await tx.query('SELECT pg_notify($1, $2)', ['resource_changes', `${namespaceKey}:${revision}`])
    return revision
  })
}

async function takeRevision(tx: Queryable, namespaceKey: string): Promise<number> {
  const [row] = await tx.query<{ revision: number }>(
    `INSERT INTO resource.namespaces AS n (key, name, revision, created_revision)
     SELECT $1::text, $1::text, next, next FROM nextval('resource.revisions') AS next
     ON CONFLICT (key) DO UPDATE SET revision = excluded.revision
     RETURNING n.revision`,
    [namespaceKey],
  )
  if (row === undefined) throw new Error('no revision')
  return row.revision
}
