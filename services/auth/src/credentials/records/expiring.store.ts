import type { Queryable } from '@svc/database'

/**
 * Counts static tokens that applications use and will soon be refused: used within the last week, and good
 * for less than the next.
 */
export async function countExpiring(db: Queryable): Promise<number> {
  const [row] = await db.query<{ readonly count: number }>(
    `SELECT count(*) AS count FROM auth.authentications
      WHERE method = 'METHOD_TOKEN' AND parent_id IS NULL
        AND expires_at BETWEEN now() AND now() + interval '7 days'
        AND last_used_at > now() - interval '7 days'`,
  )
  return row?.count ?? 0
}
