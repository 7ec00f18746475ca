import { AppError, type Logger, splitHosts } from '@svc/runtime'
import pg from 'pg'
import { openConnection } from './connection.ts'
import { answerTimeoutMs } from './pooling.ts'
import { scramVerifier } from './scram.ts'
import { applySessionSettings } from './session-settings.ts'

export interface RoleOptions {
  /** Of the service's own connections. */
  readonly serviceUrl: string
  /** The same role's, without a pooler. */
  readonly directUrl: string
  readonly log: Logger
}

/**
 * Grants the role of a service the rights to read and write its schema, and nothing else. Creates the
 * role, or sets its password, where the owner of the schema may; where not, the log says what to do. A
 * password that is right stays: set anew, it would no longer be what a pooler has of it in a file.
 * Runs before migrations: tables that they add are granted by default.
 *
 * @param client of the owner of the schema
 */
export async function admitRole(
  client: pg.Client,
  schema: string,
  { serviceUrl, directUrl, log }: RoleOptions,
): Promise<void> {
  const { role, password } = credentialsOf(serviceUrl)
  const { rows } = await client.query(
    `SELECT current_user = $1 AS "isOwner",
            (SELECT rolcanlogin FROM pg_roles WHERE rolname = $1) AS "canLogIn"`,
    [role],
  )
  const { isOwner, canLogIn } = rows[0]
  const exists = canLogIn !== null
  if (role === '' || isOwner) return
  const name = pg.escapeIdentifier(role)
  // Without one in the URL the server asks for none, or the service has it from elsewhere.
  const secret = password === '' ? '' : ` PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`
  if (canLogIn !== true || (await needsPassword(directUrl, log))) {
    const created = await client
      .query(`${exists ? 'ALTER' : 'CREATE'} ROLE ${name} LOGIN${secret}`)
      .catch((error: unknown) => refusal(error))
    if (typeof created === 'string' && !exists) {
      log.warn({ schema, role }, `cannot make the role of db.url (${created}): ${remedy}`)
      return
    }
  }
  const own = pg.escapeIdentifier(schema)
  const tableRights = 'SELECT, INSERT, UPDATE, DELETE'
  const sequenceRights = 'SELECT, USAGE'
  await client.query(
    `GRANT USAGE ON SCHEMA ${own} TO ${name};
     GRANT ${tableRights} ON ALL TABLES IN SCHEMA ${own} TO ${name};
     GRANT ${sequenceRights} ON ALL SEQUENCES IN SCHEMA ${own} TO ${name};
     ALTER DEFAULT PRIVILEGES IN SCHEMA ${own} GRANT ${tableRights} ON TABLES TO ${name};
     ALTER DEFAULT PRIVILEGES IN SCHEMA ${own} GRANT ${sequenceRights} ON SEQUENCES TO ${name}`,
  )
}

/**
 * Whether the server has another password than the URL, or asks for none: it lets in any then. A login that fails
 * otherwise, such as for too many connections, says nothing of the password.
 */
async function needsPassword(url: string, log: Logger): Promise<boolean> {
  const { role, password } = credentialsOf(url)
  if (password === '') return false
  try {
    return await withConnection(url, 'svc password', async (client) => {
      const { rows } = await client.query(
        `SELECT system_user ~ '^(scram-sha-256|md5|password):' AS "isProven"`,
      )
      return rows[0].isProven !== true
    })
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : error
    if (cause instanceof pg.DatabaseError && cause.code === '28P01') return true
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ role, reason }, 'cannot try the password of the role, and leaves it as it is')
    return false
  }
}

/**
 * Gives the role of a service the settings of its sessions. Where the owner of the schema may not, the role
 * gives them to itself.
 */
export async function giveSettings(
  client: pg.Client,
  { serviceUrl, directUrl, log }: RoleOptions,
): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `SELECT rolname AS role FROM pg_roles WHERE rolname = COALESCE(NULLIF($1, ''), current_user)`,
    [credentialsOf(serviceUrl).role],
  )
  const [{ role } = {}] = rows
  // It is yet to be made by hand, as the log says.
  if (role === undefined) return
  try {
    await applySessionSettings(client, role)
  } catch (error) {
    const cannot = refusal(error)
    const own = withConnection(directUrl, 'svc settings', (client) =>
      applySessionSettings(client, role),
    )
    await own.catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn(
        { role, reason },
        `cannot set the sessions of the role (${cannot}): ${settingsRemedy}`,
      )
    })
  }
}

async function withConnection<T>(
  url: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const config = { application_name: name, query_timeout: answerTimeoutMs }
  const { client, close } = await openConnection(url, config)
  try {
    return await work(client)
  } finally {
    await close()
  }
}

const settingsRemedy = 'migrate with a role that may alter it, or with the password of the role'

/** The same for each host that a URL lists. */
function credentialsOf(url: string): { role: string; password: string } {
  const { username, password } = new URL(splitHosts(url)[0] ?? '')
  return { role: decodeURIComponent(username), password: decodeURIComponent(password) }
}

const remedy =
  'make it by hand (CREATE ROLE … LOGIN PASSWORD …) and migrate again,' +
  ' or give the services the URL of the owner as db.url and leave out db.owner_url'

/** @returns the server's message that it is not permitted. @throws any other error */
function refusal(error: unknown): string {
  if (error instanceof pg.DatabaseError && error.code === '42501') return error.message
  throw error
}
