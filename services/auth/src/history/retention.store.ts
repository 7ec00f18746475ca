import type { ChainPlace } from '@svc/audit'
import type { Instant, Queryable } from '@svc/database'

/** The instant that is so long ago, by the clock of the database. */
export async function readCutoff(tx: Queryable, ageMs: number): Promise<Instant> {
  const [row] = await tx.query<{ cutoff: Instant }>(
    `SELECT now() - $1::float8 * interval '1 millisecond' AS cutoff`,
    [ageMs],
  )
  if (row === undefined) throw new Error('the database has no clock')
  return row.cutoff
}

/**
 * Deletes the events after a number and up to another: the chain then begins after that.
 *
 * @returns how many there were
 */
export async function deleteEvents(
  tx: Queryable,
  after: number,
  { position, keyId, hash }: ChainPlace,
  mac: Buffer | undefined,
): Promise<number> {
  const rows = await tx.query(
    'DELETE FROM auth.events WHERE number > $1 AND number <= $2 RETURNING number',
    [after, position],
  )
  await tx.query(
    `UPDATE auth.chain
        SET pruned_number = $1, pruned_hash = $2, pruned_mac = $3, pruned_key_id = $4`,
    [position, hash, mac, keyId],
  )
  return rows.length
}

/** @returns of how many events it has erased the address */
export async function eraseAddresses(
  tx: Queryable,
  ageDays: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `UPDATE auth.events SET address = NULL WHERE number IN (
       SELECT number FROM auth.events
        WHERE address IS NOT NULL AND at < now() - $1 * interval '1 day'
        ORDER BY number LIMIT $2)
     RETURNING number`,
    [ageDays, limit],
  )
  return rows.length
}
