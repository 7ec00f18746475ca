import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { openConnection } from './connection.ts'
import { translateError } from './errors.ts'
import { listMigrations, refuseUnknown, versionOf } from './migration-files.ts'
import { type RetryOptions, retryWhileUnavailable } from './retry.ts'
import { admitRole } from './roles.ts'

export interface MigrationResult {
  /** The names of the migrations that this call applied. */
  readonly applied: readonly string[]
  /** The number of the last migration, for people: `14`. */
  readonly version: string
}

export interface MigrationOptions extends Omit<RetryOptions, 'log'> {
  /** URL of the service itself. Its role is granted the rights that it needs. */
  readonly serviceUrl?: string
}

/**
 * Brings a schema up to date with the `.sql` files of a directory, in one transaction. Of several
 * processes at once, one migrates and the others wait.
 *
 * @throws {AppError} `failed_precondition` when a later build has migrated the database, or a
 *   migration fails, which changes nothing; `unavailable` when the server cannot be reached in time,
 *   or the other process takes too long
 */
export async function migrate(
  url: string,
  schema: string,
  directory: URL,
  log: Logger,
  { serviceUrl, ...retry }: MigrationOptions = {},
): Promise<MigrationResult> {
  const known = await listMigrations(directory)
  const { client, close } = await retryWhileUnavailable({ ...retry, log }, () =>
    connect(url, schema),
  )
  try {
    await retryWhileUnavailable({ ...retry, log }, () => lockSchema(client, schema))
    await createSchema(client, schema)
    refuseUnknown(await readApplied(client, schema), known)
    if (serviceUrl !== undefined) await admitRole(client, schema, serviceUrl, log)
    const done = await runner({
      dbClient: client,
      dir: fileURLToPath(directory),
      direction: 'up',
      migrationsTable,
      migrationsSchema: schema,
      lockValue: lockValue(schema),
      advisoryLockMode: 'wait',
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
    return { applied, version: versionOf(known) }
  } catch (error) {
    throw migrationError(schema, error)
  } finally {
    // Releases the lock, too.
    await close()
  }
}

/**
 * Waits until another process has brought the schema up to date.
 *
 * @throws {AppError} `failed_precondition` when a later build has migrated the database;
 *   `unavailable` when it took too long
 */
export async function waitForMigrations(
  url: string,
  schema: string,
  directory: URL,
  retry: RetryOptions = {},
): Promise<Pick<MigrationResult, 'version'>> {
  const known = await listMigrations(directory)
  return retryWhileUnavailable(retry, async () => {
    const { client, close } = await connect(url, schema)
    try {
      const applied = await readApplied(client, schema)
      refuseUnknown(applied, known)
      if (applied.length < known.length) {
        const state = `at version ${versionOf(applied)}, this build needs ${versionOf(known)}`
        throw unavailable(`Schema "${schema}" is ${state}. Run the migrations.`)
      }
      return { version: versionOf(applied) }
    } catch (error) {
      throw translateError(error)
    } finally {
      await close()
    }
  })
}

const migrationsTable = 'migrations'

function connect(url: string, schema: string) {
  return openConnection(url, {
    application_name: `migrate ${schema}`,
    // A migration that waits for a lock blocks all statements behind it: fail, and try again.
    lock_timeout: 5000,
    // To fill a new column of a large table takes minutes.
    statement_timeout: 300_000,
  })
}

/**
 * Polls for the lock. To wait in the server would be a statement in progress, for which
 * `CREATE INDEX CONCURRENTLY` waits.
 */
async function lockSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [
    lockValue(schema),
  ])
  if (rows[0].locked !== true) {
    throw unavailable(`Another process is migrating schema "${schema}".`)
  }
}

/** 48 bits: the library takes a number. */
function lockValue(schema: string): number {
  return createHash('sha256').update(`migrations of ${schema}`).digest().readUIntBE(0, 6)
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

function migrationError(schema: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const message = `Can't migrate schema "${schema}": ${reason}.`
  return new AppError('failed_precondition', 'migration_failed', message, { cause: error })
}
