import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { type Logger, splitHosts } from '@svc/runtime'
import pg from 'pg'
import { openConnection } from './connection.ts'
import { applySessionSettings } from './session-settings.ts'

/**
 * Grants the role of a service the rights to read and write its schema, and nothing else. Creates the
 * role, or sets its password, where the owner of the schema may; where not, the log says what to do.
 * Runs before migrations: tables that they add are granted by default.
 *
 * @param client of the owner of the schema
 * @param serviceUrl of the service's own connections
 */
export async function admitRole(
  client: pg.Client,
  schema: string,
  serviceUrl: string,
  log: Logger,
): Promise<void> {
  const { role, password } = credentialsOf(serviceUrl)
  const { rows } = await client.query(
    `SELECT current_user = $1 AS "isOwner", EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS "exists"`,
    [role],
  )
  const { isOwner, exists } = rows[0]
  if (role === '' || isOwner) return
  const name = pg.escapeIdentifier(role)
  const secret = pg.escapeLiteral(scramVerifier(password))
  const created = await client
    .query(`${exists ? 'ALTER' : 'CREATE'} ROLE ${name} LOGIN PASSWORD ${secret}`)
    .catch((error: unknown) => refusal(error))
  if (typeof created === 'string' && !exists) {
    log.warn({ schema, role }, `cannot make the role of db.url (${created}): ${remedy}`)
    return
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

export interface SettingsOptions {
  readonly serviceUrl: string
  /** The same role's, without a pooler. */
  readonly directUrl: string
  readonly log: Logger
}

/**
 * Gives the role of a service the settings of its sessions. Where the owner of the schema may not, the role
 * gives them to itself.
 */
export async function giveSettings(
  client: pg.Client,
  { serviceUrl, directUrl, log }: SettingsOptions,
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
    await giveOwnSettings(directUrl, role).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn(
        { role, reason },
        `cannot set the sessions of the role (${cannot}): ${settingsRemedy}`,
      )
    })
  }
}

async function giveOwnSettings(url: string, role: string): Promise<void> {
  const { client, close } = await openConnection(url, { application_name: 'svc settings' })
  try {
    await applySessionSettings(client, role)
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

/** What the server stores of a password (RFC 5803): a statement with the password might be logged. */
function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
