import type { ChainKeys } from '@svc/audit'
import { formatInstant, type Instant, type Queryable } from '@svc/database'
import { textOfEvent } from './chain.ts'
import type { NewEvent } from './event.ts'

/** Maximum events that a statement inserts. */
const batchSize = 1000

interface Head {
  readonly number: number
  readonly hash: Buffer
  readonly at: Instant
}

/**
 * Logs events and moves the head of the chain. From here to the commit, transactions that log are
 * serialized: so this comes last in them, and after every other lock.
 */
export async function appendEvents(
  tx: Queryable,
  keys: ChainKeys,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const [head] = await tx.query<Head>(
    // Times do not go back from one number to the next: retention deletes by both.
    'SELECT number, hash, greatest(clock_timestamp(), at) AS at FROM auth.chain FOR UPDATE',
  )
  if (head === undefined) throw new Error('auth.chain has no row')
  let last = head
  for (let from = 0; from < events.length; from += batchSize) {
    last = await insert(tx, keys, last, events.slice(from, from + batchSize))
  }
}

async function insert(
  tx: Queryable,
  keys: ChainKeys,
  head: Head,
  events: readonly NewEvent[],
): Promise<Head> {
  const { at } = head
  const keyId = keys.currentId
  let { number, hash } = head
  const rows = events.map((event) => {
    number += 1
    const { type, actor, subject, address } = event
    const details = Object.keys(event.details).length === 0 ? null : JSON.stringify(event.details)
    const row = { number, at, type, actor: actor.id, subject, details }
    const previousHash = hash
    hash = keys.mac(textOfEvent(row, previousHash, keyId), keyId) as Buffer
    return { ...row, address: address || null, previousHash, hash }
  })
  const named = new Map(
    events.filter(({ actor }) => actor.name !== '').map(({ actor }) => [actor.id, actor]),
  )
  const actors = [...named.values()]
  await tx.query(insertEvents, [
    formatInstant(at),
    keyId,
    rows.map((row) => row.number),
    rows.map((row) => row.type),
    rows.map((row) => row.actor),
    rows.map((row) => row.subject),
    rows.map((row) => row.address),
    rows.map((row) => row.details),
    rows.map((row) => row.previousHash),
    rows.map((row) => row.hash),
    number,
    hash,
    actors.map(({ id }) => id),
    actors.map(({ method }) => method),
    actors.map(({ name }) => name),
  ])
  return { number, hash, at }
}

const insertEvents = `
  WITH logged AS (
    INSERT INTO auth.events
           (at, key_id, number, type, actor, subject, address, details, previous_hash, hash)
    SELECT $1::timestamptz, $2, e.number, e.type, e.actor, e.subject, e.address, e.details::json,
           e.previous_hash, e.hash
      FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                  $9::bytea[], $10::bytea[])
             AS e (number, type, actor, subject, address, details, previous_hash, hash)),
  named AS (
    INSERT INTO auth.actors AS known (id, method, name)
    SELECT * FROM unnest($13::text[], $14::text[], $15::text[])
    ON CONFLICT (id) DO UPDATE
       SET method = excluded.method, name = excluded.name, last_at = excluded.last_at
     WHERE (known.method, known.name) <> (excluded.method, excluded.name)
        OR known.last_at < excluded.last_at - interval '1 hour')
  UPDATE auth.chain SET number = $11, hash = $12, at = $1::timestamptz`
