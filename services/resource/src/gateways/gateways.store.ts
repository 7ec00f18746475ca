import type { Queryable } from '@svc/database'
import type {
  Gateway,
  GatewayPosition,
  ReportPositionRequest,
} from '@svc/proto/resource/v1/gateways'
import { microseconds, toInstant } from '../records/instants.ts'

/** Age of the last report from which a gateway does not count: six reports that did not come. */
const silentMs = 60_000

/**
 * By so much a gateway has to have had everything for longer than a revision is old, to have that one: the
 * wait from the stamp to the commit, and that of a message for a busy gateway, are some 15 s at most.
 */
const marginMs = 60_000

/** Maximum gateways of an answer. */
const maxGateways = 1000

const isHeard = `seen_at > statement_timestamp() - ${silentMs} * interval '1 millisecond'`
const msSince = (column: string) =>
  `greatest(0, round(1000 * date_part('epoch', statement_timestamp() - ${column})))`

/** Replaces what is known of a gateway, unless a later report has come before this one. */
export async function savePosition(db: Queryable, report: ReportPositionRequest): Promise<void> {
  const { gatewayId, version, number, startedMsAgo, dataAgeMs, positions } = report
  const byNamespace = positions.map(({ namespaceKey, revision, tookMs = null }) => {
    return [namespaceKey, [revision, tookMs]] as const
  })
  await db.query(
    `INSERT INTO resource.gateways AS known
            (id, version, number, started_at, seen_at, complete_at, positions)
     VALUES ($1, $2, $3, statement_timestamp() - $4 * interval '1 millisecond', statement_timestamp(),
             statement_timestamp() - $5 * interval '1 millisecond', $6)
     ON CONFLICT (id) DO UPDATE
        SET version = excluded.version, number = excluded.number, started_at = excluded.started_at,
            seen_at = excluded.seen_at, complete_at = excluded.complete_at,
            positions = excluded.positions
      WHERE known.number < excluded.number`,
    [
      gatewayId,
      version,
      number,
      startedMsAgo,
      dataAgeMs,
      JSON.stringify(Object.fromEntries(byNamespace)),
    ],
  )
}

export async function removeGateway(db: Queryable, gatewayId: string): Promise<void> {
  await db.query('DELETE FROM resource.gateways WHERE id = $1', [gatewayId])
}

/** Deletes gateways that have been silent. Several replicas may do so at once: none waits for another. */
export async function removeSilentGateways(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM resource.gateways WHERE id IN (
       SELECT id FROM resource.gateways WHERE NOT ${isHeard} FOR UPDATE SKIP LOCKED)`,
  )
}

/** Those that count, by id. */
export async function listGateways(db: Queryable): Promise<Gateway[]> {
  const rows = await db.query<Omit<Gateway, 'startedAt'> & { startedAt: number }>(
    `SELECT id, version, ${microseconds('started_at')} AS "startedAt",
            ${msSince('seen_at')} AS "seenMsAgo", ${msSince('complete_at')} AS "dataAgeMs"
       FROM resource.gateways WHERE ${isHeard} ORDER BY id LIMIT ${maxGateways}`,
  )
  return rows.map((row) => ({ ...row, startedAt: toInstant(row.startedAt) }))
}

/** A namespace, and what the gateways that count have of it. */
export interface Positions {
  /** The present one. */
  readonly revision: number
  readonly positions: readonly GatewayPosition[]
}

interface PositionRow {
  /** Of the namespace. */
  readonly present: number
  /** Of the gateway; `null` in the only row when there is none. */
  readonly id: string | null
  readonly version: string
  readonly seenMsAgo: number
  readonly position: readonly [revision: number, tookMs: number | null] | null
  readonly isComplete: boolean
}

/** @returns nothing when there is no such namespace */
export async function readPositions(
  db: Queryable,
  namespaceKey: string,
): Promise<Positions | undefined> {
  const rows = await db.query<PositionRow>(
    `SELECT namespace.revision AS present, id, version, ${msSince('seen_at')} AS "seenMsAgo",
            positions -> key AS position,
            coalesce(complete_at - ${marginMs} * interval '1 millisecond' > changed_at, true)
              AS "isComplete"
       FROM resource.namespaces AS namespace
       LEFT JOIN (SELECT * FROM resource.gateways WHERE ${isHeard} ORDER BY id LIMIT ${maxGateways})
              AS gateway ON true
      WHERE key = $1
      ORDER BY id`,
    [namespaceKey],
  )
  const [first] = rows
  return first && { revision: first.present, positions: rows.flatMap(toPosition) }
}

function toPosition({ id, version, seenMsAgo, present, position, isComplete }: PositionRow) {
  if (id === null) return []
  // Gateways do not name what has not changed for long.
  const [revision, ms] = position ?? [isComplete ? present : 0, null]
  return { id, version, revision, seenMsAgo, ...(ms !== null && { ms }) }
}
