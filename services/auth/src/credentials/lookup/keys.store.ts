import type { Queryable } from '@svc/database'

/** What entries in the shared cache are sealed with; the same for all processes. */
export async function readCacheKey(db: Queryable): Promise<Buffer> {
  const [row] = await db.query<{ secret: Buffer }>(
    `SELECT secret FROM auth.keys WHERE name = 'cache_entries'`,
  )
  if (row === undefined) throw new Error('the key of cache entries is missing')
  return row.secret
}

/**
 * What the flows of logins are sealed with, the newest first: a key that is added as `login_flows.2`
 * is used from the next start on, while those before it still open what they have sealed.
 */
export async function readFlowKeys(db: Queryable): Promise<readonly Buffer[]> {
  const rows = await db.query<{ secret: Buffer }>(
    `SELECT secret FROM auth.keys WHERE name = 'login_flows' OR name LIKE 'login_flows.%'
      ORDER BY created_at DESC`,
  )
  if (rows.length === 0) throw new Error('the key of login flows is missing')
  return rows.map(({ secret }) => secret)
}
