import { type Logger, type Running, startEvery } from '@svc/runtime'
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

/** Looks whether a database answers and takes changes. Logs it once, when that changes. */
export function watchState(db: Database, log: Logger): StateWatch {
  let state: DatabaseState = 'current'
  const job = startEvery(intervalMs, log, async () => {
    const found = await stateOf(db)
    if (found !== state) log[found === 'current' ? 'info' : 'warn'](messages[found])
    state = found
  })
  return {
    readiness: {
      isReady: true,
      get parts() {
        return { database: { state } }
      },
    },
    close: () => job.close(),
  }
}

async function stateOf(db: Database): Promise<DatabaseState> {
  const sql = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`
  const rows = await db.query<{ isReadOnly: boolean }>(sql).catch(() => undefined)
  if (rows === undefined) return 'unavailable'
  return rows[0]?.isReadOnly === true ? 'read-only' : 'current'
}
