import type { Database, Queryable } from '@svc/database'

export interface ManyFlags {
  /** Made when missing. */
  readonly namespaceKeys: readonly string[]
  /** In each of them. */
  readonly count: number
  /** Of the flags in `default`, such as the demo has; the copies are called `<key>-<number>`. */
  readonly copied: readonly string[]
}

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
      await copySegments(tx, namespaceKey, revision)
      for (let first = 0; first < many.count; first += flagsPerStatement) {
        const last = Math.min(first + flagsPerStatement, many.count) - 1
        await copyFlags(tx, [namespaceKey, revision, first, last, many.copied])
      }
      await tx.query('SELECT pg_notify($1, $2)', ['resource_changes', namespaceKey])
    })
  }
  await db.query(
    `ALTER DOMAIN resource.key ADD CONSTRAINT key_is_valid
       CHECK (VALUE ~ '^[-_,A-Za-z0-9]{1,255}$') NOT VALID`,
  )
  for (const table of [
    'flags',
    'variants',
    'rules',
    'rule_segments',
    'distributions',
    'rollouts',
  ]) {
    await db.query(`ANALYZE resource.${table}`)
  }
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

async function copySegments(tx: Queryable, namespaceKey: string, revision: number): Promise<void> {
  if (namespaceKey === 'default') return
  await tx.query(
    `WITH segments AS (
       INSERT INTO resource.segments (namespace_key, key, name, description, match_type, revision)
       SELECT $1::resource.key, key, name, description, match_type, $2
         FROM resource.segments WHERE namespace_key = 'default'
       ON CONFLICT DO NOTHING)
     INSERT INTO resource.constraints
            (namespace_key, segment_key, id, type, property, operator, value, description)
     SELECT $1::resource.key, segment_key, id, type, property, operator, value, description
       FROM resource.constraints WHERE namespace_key = 'default'
     ON CONFLICT DO NOTHING`,
    [namespaceKey, revision],
  )
}

/** @param values namespace, revision, the first and the last number, and the keys to copy */
async function copyFlags(tx: Queryable, values: readonly unknown[]): Promise<void> {
  await tx.query(
    `WITH copies AS (
       SELECT f.*, n.key AS target, (f.key || '-' || number)::resource.key AS copy, number
         FROM generate_series($3::int, $4::int) AS number
         JOIN resource.namespaces AS n ON n.key = $1
         JOIN resource.flags AS f
           ON f.namespace_key = 'default'
          AND f.key = ($5::text[])[1 + number % cardinality($5::text[])]),
     flags AS (
       INSERT INTO resource.flags (namespace_key, key, type, name, description, enabled,
                                   default_variant_id, metadata, revision, created_at)
       SELECT target, copy, type, name, description, enabled, default_variant_id, metadata, $2,
              created_at + number * interval '1 second'
         FROM copies),
     variants AS (
       INSERT INTO resource.variants (namespace_key, flag_key, id, key, name, description, attachment)
       SELECT target, copy, v.id, v.key, v.name, v.description, v.attachment
         FROM copies AS c JOIN resource.variants AS v USING (namespace_key)
        WHERE v.flag_key = c.key ORDER BY number, v.position),
     rules AS (
       INSERT INTO resource.rules (namespace_key, flag_key, id, rank, segment_operator)
       SELECT target, copy, r.id, r.rank, r.segment_operator
         FROM copies AS c JOIN resource.rules AS r USING (namespace_key) WHERE r.flag_key = c.key),
     rule_segments AS (
       INSERT INTO resource.rule_segments (namespace_key, flag_key, rule_id, segment_key, place)
       SELECT target, copy, s.rule_id, s.segment_key, s.place
         FROM copies AS c JOIN resource.rule_segments AS s USING (namespace_key)
        WHERE s.flag_key = c.key),
     distributions AS (
       INSERT INTO resource.distributions
              (namespace_key, flag_key, rule_id, id, variant_id, rollout)
       SELECT target, copy, d.rule_id, d.id, d.variant_id, d.rollout
         FROM copies AS c JOIN resource.distributions AS d USING (namespace_key)
        WHERE d.flag_key = c.key ORDER BY number, d.position),
     rollouts AS (
       INSERT INTO resource.rollouts (namespace_key, flag_key, id, rank, description, value, type,
                                      segment_operator, percentage)
       SELECT target, copy, o.id, o.rank, o.description, o.value, o.type, o.segment_operator,
              o.percentage
         FROM copies AS c JOIN resource.rollouts AS o USING (namespace_key)
        WHERE o.flag_key = c.key)
     INSERT INTO resource.rollout_segments
            (namespace_key, flag_key, rollout_id, segment_key, place)
     SELECT target, copy, s.rollout_id, s.segment_key, s.place
       FROM copies AS c JOIN resource.rollout_segments AS s USING (namespace_key)
      WHERE s.flag_key = c.key`,
    values,
  )
}
