import type { Queryable } from '@svc/database'
import type { Use } from '@svc/proto/auth/v1/identities'

/**
 * Adds uses to the records of tokens, by the clock of the database, one entry for each token. Deleted
 * tokens are skipped. Gateways report concurrently, hence the order of the locks.
 */
export async function recordUses(db: Queryable, uses: readonly Use[]): Promise<void> {
  await db.query(
    `WITH uses AS (
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::text[])
                  AS uses (id, count, ms_ago, address)),
     locked AS (
       SELECT id FROM auth.authentications WHERE id IN (SELECT id FROM uses)
        ORDER BY id FOR NO KEY UPDATE)
     UPDATE auth.authentications AS a
        SET use_count = a.use_count + uses.count,
            last_used_at = greatest(a.last_used_at, now() - uses.ms_ago * interval '1 millisecond'),
            last_used_address =
              CASE WHEN a.last_used_at > now() - uses.ms_ago * interval '1 millisecond'
                   THEN a.last_used_address ELSE uses.address END
       FROM uses JOIN locked USING (id)
      WHERE a.id = uses.id`,
    [
      uses.map((use) => use.authenticationId),
      uses.map((use) => use.count),
      uses.map((use) => use.lastUsedMsAgo),
      uses.map((use) => use.lastAddress),
    ],
  )
}
