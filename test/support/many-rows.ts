import type { Database } from '@svc/database'

/** Below what a statement of a service may take, which is two seconds. */
const rowsPerStatement = 5000

/** Makes tokens by SQL, which nothing holds the secrets of. */
export async function makeManyTokens(db: Database, count: number): Promise<void> {
  await db.query(
    `INSERT INTO auth.authentications (method, token_hash, metadata)
     SELECT 'METHOD_TOKEN', sha256(('token ' || n)::bytea), jsonb_build_object('name', 'token ' || n)
       FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  await db.query('ANALYZE auth.authentications')
}

/** Logs events of auth and changes of namespaces by SQL, half of each, without what would verify them. */
export async function logManyRows(
  db: Database,
  namespaceKeys: readonly string[],
  count: number,
): Promise<void> {
  for (let made = 0; made < count; made += 2 * rowsPerStatement) {
    const rows = Math.min(rowsPerStatement, Math.ceil((count - made) / 2))
    await db.query(
      `WITH chain AS (
         UPDATE auth.chain SET number = number + $1::int RETURNING number - $1::int AS first)
       INSERT INTO auth.events (number, at, type, actor, subject, previous_hash, key_id, hash)
       SELECT first + n, now(), 'token.created', 'actor', 'token ' || n, '', '', ''
         FROM chain, generate_series(1, $1::int) AS n`,
      [rows],
    )
    await db.query(
      `WITH logged AS (
         INSERT INTO resource.changes
                (namespace_key, revision, at, actor, source, items_hash, previous_hash, key_id, hash)
         SELECT ($2::text[])[1 + n % cardinality($2::text[])], nextval('resource.revisions'),
                now(), 'actor', 'api', '', '', '', ''
           FROM generate_series(1, $1::int) AS n
         RETURNING namespace_key, revision)
       INSERT INTO resource.change_items (namespace_key, revision, place, kind, key)
       SELECT namespace_key, revision, 0, 'flag', 'flag' FROM logged`,
      [rows, namespaceKeys],
    )
  }
  const tables = ['auth.events', 'resource.changes', 'resource.change_items']
  for (const table of tables) await db.query(`ANALYZE ${table}`)
}
