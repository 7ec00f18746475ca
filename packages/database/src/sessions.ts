import { AppError, unavailable } from '@svc/runtime'
import { type Connection, openConnection } from './connection.ts'
import { translateError } from './errors.ts'
import { answerTimeoutMs, detectPooling, isDirect, type Pooling } from './pooling.ts'
import { type RetryOptions, retryWhileUnavailable } from './retry.ts'
import { readRoleSettings, wrongSettings } from './session-settings.ts'

/** Maximum old sessions that a start ends: PgBouncer keeps 20 of a database and role by default. */
const maxOldSessions = 20

/**
 * Checks what requests run in: that its sessions have the settings of the service's role, and that a pooler on
 * the way knows prepared statements.
 *
 * @param options `directUrl` is for notifications and migrations, if it is another; with
 *   `isMigratedByOthers` a setting that is missing is waited for, as another process makes it
 * @throws {AppError} `failed_precondition` with what is wrong and what to do; `unavailable` when the server
 *   cannot be reached in time
 */
export function checkSessions(
  url: string,
  options: RetryOptions & {
    readonly directUrl?: string | undefined
    readonly isMigratedByOthers?: boolean
  },
): Promise<void> {
  const { directUrl = url, isMigratedByOthers = false } = options
  let oldSessions = 0
  return retryWhileUnavailable(options, async () => {
    await withConnection(url, async (connection) => {
      const pooling = await detectPooling(connection, url)
      if (pooling === 'unprepared' || pooling === 'statement') throw refusal('db.url', pooling)
      if (pooling !== 'session' && directUrl === url) throw refusal('db.direct_url', pooling)
      const [wrong] = await wrongSettings(connection.client)
      if (wrong === undefined) return
      if (pooling === 'session' && oldSessions < maxOldSessions && (await isOld(connection))) {
        oldSessions += 1
        await endSession(connection)
        throw unavailable(`A pooler had a session from before the settings of its role: ${wrong}.`)
      }
      throw settingDropped(wrong, isMigratedByOthers)
    })
    if (directUrl === url) return
    await withConnection(directUrl, (connection) =>
      expectSession(connection, directUrl, 'db.direct_url'),
    )
  })
}

/**
 * Whether a pooler may have opened the session before its role had all settings, as for the first migration. Such a
 * session has those of its login for as long as the pooler keeps it.
 */
async function isOld({ client }: Connection): Promise<boolean> {
  return !(await isDirect(client)) && (await readRoleSettings(client)).areComplete
}

/** So the pooler opens another one. Every role may end its own; a pooler by session lends it to no other client. */
async function endSession({ client }: Connection): Promise<void> {
  await client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {})
}

async function withConnection(
  url: string,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const config = { application_name: 'svc check', query_timeout: answerTimeoutMs }
  const connection = await openConnection(url, config)
  try {
    await work(connection)
  } catch (error) {
    throw translateError(error)
  } finally {
    await connection.close()
  }
}

/**
 * @param setting where the URL comes from, for the operator
 * @throws {AppError} `failed_precondition` when a pooler lends the session to other clients
 */
export async function expectSession(
  connection: Connection,
  url: string,
  setting: string,
): Promise<void> {
  const pooling = await detectPooling(connection, url)
  if (pooling !== 'session') throw refusal(setting, pooling)
}

function refusal(setting: string, pooling: Exclude<Pooling, 'session'>): AppError {
  const message =
    setting === 'db.url'
      ? `db.url leads to a pooler that ${faults[pooling]}: use PgBouncer 1.21 or later with pool_mode = transaction and max_prepared_statements`
      : `notifications and migrations need a session of their own, and a pooler ${faults[pooling]}: set ${setting} to PostgreSQL itself`
  return new AppError('failed_precondition', 'database_pooler', `${message}.`)
}

const faults = {
  transaction: 'pools by transaction',
  unprepared: 'pools by transaction and loses prepared statements',
  statement: 'pools by statement and has no transactions',
}

function settingDropped(wrong: string, mayCome: boolean): AppError {
  const message =
    `the sessions of db.url lack a setting of its role: ${wrong}.` +
    ' Run the migrations, which set it (ALTER ROLE … IN DATABASE … SET); a pooler then has to' +
    ' connect anew (RECONNECT), as this role, and must not set it otherwise.'
  return mayCome
    ? unavailable(message)
    : new AppError('failed_precondition', 'session_setting', message)
}
