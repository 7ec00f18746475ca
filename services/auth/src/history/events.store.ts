import type { ChainPlace } from '@svc/audit'
import type { Instant, Queryable } from '@svc/database'
import type { EventRow, PrunedHead } from '../events/chain.ts'

/** An event as it is stored. */
export interface StoredEvent {
  readonly number: number
  readonly at: Instant
  readonly type: string
  readonly actor: string
  /** `null` when it is not known, or was erased; as is the address. */
  readonly name: string | null
  readonly subject: string
  readonly address: string | null
  readonly details: Readonly<Record<string, unknown>> | null
  readonly previousHash: Buffer
  readonly keyId: string
  readonly hash: Buffer
}

// Of a static token that has done nothing else that was logged, its record has the name.
const columns = `
  e.number, e.at, e.type, e.actor, e.subject, e.address, e.details,
  e.previous_hash AS "previousHash", e.key_id AS "keyId", e.hash,
  coalesce((SELECT name FROM auth.actors WHERE id = e.actor),
           (SELECT metadata->>'io.svc.auth.token.name' FROM auth.authentications
             WHERE id = e.actor)) AS name`

/** Which events, and where among them. */
export interface EventPage {
  readonly type: string | null
  readonly actor: string | null
  readonly subject: string | null
  /** RFC 3339; the first instant. */
  readonly since: string | null
  /** RFC 3339; the first instant that is too late. */
  readonly until: string | null
  /** The oldest first. */
  readonly isAscending: boolean
  /** The number at which the page before ended. */
  readonly place: number
  readonly limit: number
}

/** One text for each order: each is a statement that is prepared once. */
export function readEvents(tx: Queryable, page: EventPage): Promise<StoredEvent[]> {
  const { type, actor, subject, since, until, isAscending, place, limit } = page
  return tx.query<StoredEvent>(
    `SELECT ${columns} FROM auth.events AS e
      WHERE e.number ${isAscending ? '>' : '<'} $1
        AND ($2::text IS NULL OR e.type = $2) AND ($3::text IS NULL OR e.actor = $3)
        AND ($4::text IS NULL OR e.subject = $4 AND e.subject <> '')
        AND ($5::timestamptz IS NULL OR e.at >= $5) AND ($6::timestamptz IS NULL OR e.at < $6)
      ORDER BY e.number ${isAscending ? '' : 'DESC'} LIMIT $7`,
    [place, type, actor, subject, since, until, limit],
  )
}

export async function findEvent(tx: Queryable, number: number): Promise<StoredEvent | undefined> {
  const [event] = await tx.query<StoredEvent>(
    `SELECT ${columns} FROM auth.events AS e WHERE e.number = $1`,
    [number],
  )
  return event
}

/** What is known of the chain besides its events. */
export interface ChainState extends PrunedHead {
  /** The event that was logged last; 0: none. */
  readonly headNumber: number
  readonly headHash: Buffer
}

export async function readChain(tx: Queryable): Promise<ChainState> {
  const [chain] = await tx.query<ChainState>(
    `SELECT number AS "headNumber", hash AS "headHash", pruned_number AS "prunedNumber",
            pruned_hash AS "prunedHash", pruned_mac AS "prunedMac",
            pruned_key_id AS "prunedKeyId"
       FROM auth.chain`,
  )
  if (chain === undefined) throw new Error('auth.chain has no row')
  return chain
}

/** An event as its verification needs it. */
export interface ChainedEvent extends EventRow {
  readonly previousHash: Buffer
  readonly keyId: string
  readonly hash: Buffer
}

const chainedColumns = `
  number, at, type, actor, subject, details::text AS details, previous_hash AS "previousHash",
  key_id AS "keyId", hash`

/** Events after a number, the oldest first. */
export function readChained(tx: Queryable, after: number, limit: number): Promise<ChainedEvent[]> {
  return tx.query<ChainedEvent>(
    `SELECT ${chainedColumns} FROM auth.events WHERE number > $1 ORDER BY number LIMIT $2`,
    [after, limit],
  )
}

/** The oldest event from a number on that was made with one of the keys. */
export async function findProven(
  tx: Queryable,
  keyIds: readonly string[],
  from: number,
): Promise<ChainedEvent | undefined> {
  const [event] = await tx.query<ChainedEvent>(
    `SELECT ${chainedColumns} FROM auth.events
      WHERE number >= $1 AND key_id = ANY ($2::text[]) ORDER BY number LIMIT 1`,
    [from, keyIds],
  )
  return event
}

/** The newest event up to a number. */
export async function findPlace(tx: Queryable, upTo: number): Promise<ChainPlace | undefined> {
  const [place] = await tx.query<ChainPlace>(
    `SELECT number AS position, key_id AS "keyId", hash FROM auth.events
      WHERE number <= $1 ORDER BY number DESC LIMIT 1`,
    [upTo],
  )
  return place
}

/** The first number up to another that is there. */
export async function findFirst(tx: Queryable, upTo: number): Promise<number | undefined> {
  const [first] = await tx.query<{ number: number }>(
    'SELECT number FROM auth.events WHERE number <= $1 ORDER BY number LIMIT 1',
    [upTo],
  )
  return first?.number
}
