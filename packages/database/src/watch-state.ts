import { type Logger, type Running, startEvery } from '@svc/runtime'
import { observeGauge } from '@svc/telemetry'
import type { Database } from './database.ts'

/** `read-only`: it answers, and refuses changes, as a standby does. */
type DatabaseState = 'current' | 'read-only' | 'unavailable'

/** Interval of looks at the database, in milliseconds. */
const intervalMs = 2000

const messages: Readonly<Record<DatabaseState, string>> = {
  current: 'the database takes changes again',
  'read-only': 'the database is read-only: changes are refused',
  unavailable: 'the database is unavailable',
}

export interface StateWatch extends Running {
  /** For `/readyz`. An outage does not end readiness: what is in memory is still served. */
  readonly readiness: {
    readonly isReady: true
    readonly parts: { readonly database: { readonly state: DatabaseState } }
  }
}

/**
 * Looks whether a database answers and takes changes. Logs it once, when that changes, and measures it. Pools whose server has become
 * read-only connect anew: after a failover, one that never writes would go on reading old data there.
 *
 * @param db decides the state
 * @param others further pools of the same database
 */
export function watchState(db: Database, others: readonly Database[], log: Logger): StateWatch {
  let state: DatabaseState = 'current'
  const job = startEvery(intervalMs, log, async () => {
    const [found = 'unavailable'] = await Promise.all([db, ...others].map(look))
    if (found !== state) log[found === 'current' ? 'info' : 'warn'](messages[found])
    state = found
  })
  const endMeasuring = observeGauge('svc.database.writable', (result) =>
    result.observe(state === 'current' ? 1 : 0),
  )
  return {
    readiness: {
      isReady: true,
      get parts() {
        return { database: { state } }
      },
    },
    close: () => {
      endMeasuring()
      return job.close()
    },
  }
}

async function look(db: Database): Promise<DatabaseState> {
  const state = await stateOf(db)
  if (state === 'read-only') db.reconnect()
  return state
}

async function stateOf(db: Database): Promise<DatabaseState> {
  const sql = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`
  const rows = await db.query<{ isReadOnly: boolean }>(sql).catch(() => undefined)
  if (rows === undefined) return 'unavailable'
  return rows[0]?.isReadOnly === true ? 'read-only' : 'current'
}
