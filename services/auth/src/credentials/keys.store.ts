import type { Queryable } from '@svc/database'

/** The key that seals entries of the shared cache; the same in all processes. */
export async function readCacheKey(db: Queryable): Promise<Buffer> {
  const [row] = await db.query<{ secret: Buffer }>(
    `SELECT secret FROM auth.keys WHERE name = 'cache_entries'`,
  )
  if (row === undefined) throw new Error('the key of cache entries is missing')
  return row.secret
}

/**
 * The keys that seal the flows of logins, newest first. A key added as `login_flows.2` seals from the
 * next start on; older keys still open what they sealed.
 */
export async function readFlowKeys(db: Queryable): Promise<readonly [Buffer, ...Buffer[]]> {
  const rows = await db.query<{ secret: Buffer }>(
    `SELECT secret FROM auth.keys WHERE name = 'login_flows' OR name LIKE 'login_flows.%'
      ORDER BY created_at DESC`,
  )
  const [newest, ...older] = rows.map(({ secret }) => secret)
  if (newest === undefined) throw new Error('the key of login flows is missing')
  return [newest, ...older]
}
