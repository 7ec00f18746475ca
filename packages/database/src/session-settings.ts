import { createHash } from 'node:crypto'
import pg from 'pg'

/** Maximum time of a statement in the server, in milliseconds. */
export const statementTimeoutMs = 2000

/**
 * Settings of every session of a service, as SHOW prints them. They are settings of its role in its database:
 * a pooler shares sessions among clients, and drops what one of them asks for when it connects.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  // To start parallel workers, or to compile a plan, takes longer than any statement here.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // What a request reads is in an index: statistics that are old, or of a few records that are far
  // larger than others, make the planner scan a table for each of a thousand records instead.
  enable_seqscan: 'off',
  statement_timeout: `${statementTimeoutMs / 1000}s`,
  // Writers to one namespace queue behind each other, each for milliseconds.
  lock_timeout: '1s',
  // Bounds the locks of a process that stops in the middle of a transaction.
  idle_in_transaction_session_timeout: '5s',
}

/** Statements that give a role these settings in the database of the connection. */
export function settingStatements(role: string, database: string): string {
  const target = `${pg.escapeIdentifier(role)} IN DATABASE ${pg.escapeIdentifier(database)}`
  return Object.entries(sessionSettings)
    .map(([name, value]) => `ALTER ROLE ${target} SET ${name} = ${pg.escapeLiteral(value)}`)
    .join(';\n')
}

/**
 * Makes them settings of a role in the database of the connection, where they are not yet.
 *
 * @param client of a role that may alter that one; every role may alter itself
 * @throws {pg.DatabaseError} `42501` when it may not
 */
export async function applySessionSettings(client: pg.Client, role: string): Promise<void> {
  await client.query('BEGIN')
  try {
    // Two services may have the same role: to alter it at once is an error.
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey])
    const { database, areComplete } = await readRoleSettings(client, role)
    if (!areComplete) await client.query(settingStatements(role, database))
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** @param role is that of the session, if it is left out */
export async function readRoleSettings(
  client: pg.Client,
  role?: string,
): Promise<{ readonly database: string; readonly areComplete: boolean }> {
  const { rows } = await client.query<{ database: string; settings: string[] | null }>(
    `SELECT current_database() AS database,
            (SELECT setconfig FROM pg_db_role_setting s
               JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase
              WHERE r.rolname = coalesce($1, current_user) AND d.datname = current_database()) AS settings`,
    [role],
  )
  const [{ database, settings } = { database: '', settings: null }] = rows
  const isThere = ([name, value]: [string, string]) => settings?.includes(`${name}=${value}`)
  return { database, areComplete: Object.entries(sessionSettings).every(isThere) }
}

const lockKey = createHash('sha256').update('settings of roles').digest().readUIntBE(0, 6)

/** @returns those that a session has otherwise, such as `jit is on instead of off` */
export async function wrongSettings(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name',
    [Object.keys(sessionSettings)],
  )
  return rows
    .filter(({ name, value }) => value !== sessionSettings[name])
    .map(({ name, value }) => `${name} is ${value} instead of ${sessionSettings[name]}`)
}
