import type { Queryable } from '@svc/database'

/**
 * Maximum wait for a replica that seeds, in milliseconds: the largest seed takes a minute or two. Also the
 * maximum time of the lock, whose session is idle in its transaction meanwhile: longer than the role's
 * settings let others be.
 */
const lockTimeoutMs = 600_000

/** Until the end of the transaction, one process seeds: the others wait, and find what it has done. */
export async function lockSeeds(tx: Queryable): Promise<void> {
  await tx.query(`SELECT set_config('idle_in_transaction_session_timeout', $1, true)`, [
    `${lockTimeoutMs}`,
  ])
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('resource.seeds', 0))`, [], {
    lockTimeoutMs,
  })
}

/** What was seeded into a namespace; `null`: nothing, as it held something. */
export interface Seeded {
  readonly sha256: string | null
}

export async function findSeeded(db: Queryable, namespaceKey: string): Promise<Seeded | undefined> {
  const [row] = await db.query<Seeded>(
    `SELECT encode(sha256, 'hex') AS sha256 FROM resource.seeds WHERE namespace_key = $1`,
    [namespaceKey],
  )
  return row
}

export async function rememberSeeded(
  db: Queryable,
  namespaceKey: string,
  { sha256 }: Seeded,
): Promise<void> {
  await db.query(
    `INSERT INTO resource.seeds (namespace_key, sha256) VALUES ($1, decode($2, 'hex'))
     ON CONFLICT (namespace_key) DO UPDATE SET sha256 = excluded.sha256, at = excluded.at`,
    [namespaceKey, sha256],
  )
}

/** Whether a namespace has a flag or a segment; nothing when there is no such namespace. */
export async function findHolds(db: Queryable, namespaceKey: string): Promise<boolean | undefined> {
  const [row] = await db.query<{ holds: boolean }>(
    `SELECT EXISTS (SELECT FROM resource.flags WHERE namespace_key = $1)
         OR EXISTS (SELECT FROM resource.segments WHERE namespace_key = $1) AS holds
       FROM resource.namespaces WHERE key = $1`,
    [namespaceKey],
  )
  return row?.holds
}
