import type { Queryable } from '@svc/database'

/** What entries in the shared cache are sealed with; the same for all processes. */
export async function readCacheKey(db: Queryable): Promise<Buffer> {
  const [row] = await db.query<{ secret: Buffer }>(
    `SELECT secret FROM auth.keys WHERE name = 'cache_entries'`,
  )
  if (row === undefined) throw new Error('the key of cache entries is missing')
  return row.secret
}
