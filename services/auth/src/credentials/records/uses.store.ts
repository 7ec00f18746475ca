import type { Queryable } from '@svc/database'
import type { Use } from '@svc/proto/auth/v1/identities'
import { invalidField } from '@svc/runtime'
import { lockOrder } from './authentications.store.ts'

/** Maximum rows that a statement writes, in some 20 ms. */
const maxUses = 1000

/** Maximum age of a use: gateways report once a minute and repeat what failed; later it is useless. */
const maxAgeMs = 3_600_000

/**
 * Adds uses to the records of tokens, by the clock of the database, one entry for each token. Deleted
 * tokens and implausible uses are skipped. Gateways report concurrently, hence the order of the locks.
 *
 * @throws {AppError} `invalid_argument` for more than 1,000 uses
 */
export async function reportUses(db: Queryable, reported: readonly Use[]): Promise<void> {
  if (reported.length > maxUses) throw invalidField('uses', `must be at most ${maxUses}`)
  const uses = reported.filter(
    ({ authenticationId, count, lastUsedMsAgo, lastAddress }) =>
      /^[0-9a-f-]{36}$/.test(authenticationId) &&
      count > 0 &&
      lastUsedMsAgo >= 0 &&
      lastUsedMsAgo <= maxAgeMs &&
      /^[0-9A-Fa-f.:]{0,45}$/.test(lastAddress),
  )
  if (uses.length === 0) return
  await db.query(
    `WITH uses AS (
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::float8[], $4::text[])
                  AS uses (id, count, ms_ago, address)),
     locked AS (
       SELECT id FROM auth.authentications WHERE id IN (SELECT id FROM uses)
        ORDER BY ${lockOrder} FOR NO KEY UPDATE)
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
