import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { AppError, type Logger, unavailable, version } from '@svc/runtime'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { type Connection, openConnection } from './connection.ts'
import { isLockTimeout, isStatementTimeout, translateError } from './errors.ts'
import { answerTimeoutMs } from './pooling.ts'
import { type RetryOptions, retryWhileUnavailable } from './retry.ts'
import { admitRole, giveSettings } from './roles.ts'
import { compareSchema, type SchemaState, versionOf } from './schema-version.ts'
import { expectSession } from './sessions.ts'

const migrationsTable = 'migrations'

export interface MigrationOptions extends RetryOptions {
  /** URL of the role that owns the tables, if it is another than the service's. */
  readonly ownerUrl?: string | undefined
  /** URL without a pooler, if that of the service leads to one. */
  readonly directUrl?: string | undefined
}

/**
 * Brings a schema up to date with the `.sql` files of a directory, in one transaction. Of several
 * processes at once, one migrates and the others wait; each tries again after an outage in the middle. A schema
 * that a later build has migrated stays as it is.
 *
 * @param url of the service, whose role is granted what it needs and given the settings of its sessions
 * @returns the names of the migrations that this call applied
 * @throws {AppError} `failed_precondition` when this build does not run on what a later one made, or a
 *   migration fails, which changes nothing; `unavailable` when the server cannot be reached or written to in
 *   time, or the other process takes too long
 */
export async function migrate(
  url: string,
  schema: string,
  directory: URL,
  options: MigrationOptions,
): Promise<string[]> {
  const known = await listMigrations(directory)
  return retryWhileUnavailable(options, () => migrateOnce(url, schema, directory, known, options))
}

async function migrateOnce(
  url: string,
  schema: string,
  directory: URL,
  known: readonly string[],
  { log, ownerUrl, directUrl = url }: MigrationOptions,
): Promise<string[]> {
  const own = ownerUrl ?? directUrl
  const setting = ownerUrl === undefined ? 'db.direct_url' : 'db.owner_url'
  const { client, close } = await connect(own, schema, setting)
  let isConnected = true
  client.once('end', () => {
    isConnected = false
  })
  try {
    await answered(lockSchema(client, schema))
    await createSchema(client, schema)
    const { missing } = checkSchema(schema, await readApplied(client, schema), known, log)
    const role = { serviceUrl: url, directUrl, log }
    await admitRole(client, schema, role)
    await giveSettings(client, role)
    if (missing.length === 0) return []
    const done = await runner({
      dbClient: client,
      dir: fileURLToPath(directory),
      direction: 'up',
      migrationsTable,
      migrationsSchema: schema,
      // We have one already.
      noLock: true,
      singleTransaction: true,
      checkOrder: true,
      logger: {
        info: (line) => log.debug(line),
        warn: (line) => log.warn(line),
        error: (line) => log.error(line),
      },
    })
    const applied = done.map(({ name }) => name)
    if (applied.length > 0) log.info({ schema, applied }, 'applied migrations')
    return applied
  } catch (error) {
    throw migrationError(schema, error, isConnected)
  } finally {
    // Releases the lock, too.
    await close()
  }
}

/**
 * Waits until another process has brought the schema up to date, and has made the role of the URL.
 *
 * @throws {AppError} `failed_precondition` when this build does not run on what a later one made;
 *   `unavailable` when it took too long
 */
export async function waitForMigrations(
  url: string,
  schema: string,
  directory: URL,
  options: RetryOptions,
): Promise<void> {
  const known = await listMigrations(directory)
  await retryWhileUnavailable(options, async () => {
    const config = { application_name: nameOf(schema), query_timeout: answerTimeoutMs }
    const { client, close } = await openConnection(url, config).catch((error: unknown) => {
      throw untilMigrated(schema, error)
    })
    try {
      const applied = await readApplied(client, schema)
      const { missing } = checkSchema(schema, applied, known, options.log)
      if (missing.length > 0) {
        const state = `at version ${versionOf(applied)}, this build needs ${versionOf(known)}`
        throw unavailable(`Schema "${schema}" is ${state}. Run the migrations.`)
      }
    } catch (error) {
      throw untilMigrated(schema, error)
    } finally {
      await close()
    }
  })
}

/**
 * What the server says before the first migration: no such role, or another password; it may not log in; no
 * such database; no right to the schema.
 */
const beforeMigrations: readonly unknown[] = ['28P01', '28000', '3D000', '42501']

/** The first migration makes the role of a service, with its password and rights. */
function untilMigrated(schema: string, error: unknown): unknown {
  const cause = error instanceof AppError ? error.cause : error
  const isOfServer = cause instanceof pg.DatabaseError
  if (!isOfServer || !beforeMigrations.includes(cause.code)) return translateError(error)
  const isRefusal = error instanceof AppError
  const what = isRefusal ? error.message : `Schema "${schema}" cannot be read: ${cause.message}.`
  return unavailable(`${what} The migrations may not have run yet.`, { cause })
}

const nameOf = (schema: string) => `migrate ${schema}`

/** Bounds the wait for an answer where the connection has no `query_timeout`: migrations take as long as they take. */
async function answered<T>(work: Promise<T>): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const message = `PostgreSQL gave no answer in ${answerTimeoutMs / 1000} s.`
  const timer = setTimeout(() => reject(unavailable(message)), answerTimeoutMs)
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** The settings of a service's role are for requests: a migration has its own. */
async function connect(url: string, schema: string, setting: string): Promise<Connection> {
  const connection = await openConnection(url, { application_name: nameOf(schema) })
  try {
    // A pooler would lend a session with the settings of a migration to requests.
    await answered(expectSession(connection, url, setting))
    await answered(connection.client.query(sessionOfMigration))
  } catch (error) {
    await connection.close()
    throw translateError(error)
  }
  return connection
}

const sessionOfMigration = [
  "SET TimeZone = 'UTC'",
  // A migration that waits for a lock blocks all statements behind it: fail, and try again.
  "SET lock_timeout = '5s'",
  // To fill a new column of a large table takes minutes.
  "SET statement_timeout = '300s'",
  "SET idle_in_transaction_session_timeout = '60s'",
  'SET enable_seqscan = on',
].join(';')

/**
 * Polls for the lock. To wait in the server would be a statement in progress, for which
 * `CREATE INDEX CONCURRENTLY` waits.
 */
async function lockSchema(client: pg.Client, schema: string): Promise<void> {
  const key = createHash('sha256').update(`migrations of ${schema}`).digest().readUIntBE(0, 6)
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [key])
  if (rows[0].locked !== true) {
    throw unavailable(`Another process is migrating schema "${schema}".`)
  }
}

async function createSchema(client: pg.Client, schema: string): Promise<void> {
  // `IF NOT EXISTS` needs the right to create one even where there is one.
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`)
}

async function readApplied(client: pg.Client, schema: string): Promise<string[]> {
  const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(migrationsTable)}`
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS exists', [table])
  if (rows[0].exists !== true) return []
  const applied = await client.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY name`)
  return applied.rows.map(({ name }) => name)
}

/** Names of a directory's migrations, without `.sql`, in the order of their application. */
export async function listMigrations(directory: URL): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => !file.startsWith('.')).sort()
  for (const file of files) {
    // The digits give the order, and the name goes into SQL as it is.
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) {
      throw new Error(`not a migration, which is named as in 0001_flags.sql: ${file}`)
    }
  }
  return files.map((file) => file.slice(0, -'.sql'.length))
}

/** Logs where a later build has migrated the database. @throws {AppError} when this build does not run on it */
function checkSchema(
  schema: string,
  applied: readonly string[],
  known: readonly string[],
  log: Logger,
): SchemaState {
  const state = compareSchema(applied, known, version)
  if (state.newer.length > 0) {
    const versions = `at version ${versionOf(applied)}, this build knows ${versionOf(known)}`
    log.info({ schema, newer: state.newer }, `the database is ${versions} and runs on it`)
  }
  return state
}

function migrationError(schema: string, error: unknown, isConnected: boolean): AppError {
  if (error instanceof AppError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const message = `Can't migrate schema "${schema}": ${reason}.`
  if (!isConnected || mayPass(error)) return unavailable(message, { cause: error })
  return new AppError('failed_precondition', 'migration_failed', message, { cause: error })
}

/** One that waits too long for a lock, or takes too long, is not tried again: it stops other statements meanwhile. */
function mayPass(error: unknown): boolean {
  const translated = error instanceof pg.DatabaseError ? translateError(error) : error
  if (isLockTimeout(translated) || isStatementTimeout(translated)) return false
  return translated instanceof AppError && translated.code === 'unavailable'
}
