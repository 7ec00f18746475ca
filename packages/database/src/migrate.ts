import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { openConnection } from './connection.ts'
import { translateError } from './errors.ts'
import { listMigrations, refuseUnknown, versionOf } from './migration-files.ts'
import { type Patience, patiently } from './patience.ts'
import { admitRole } from './roles.ts'

export interface MigrationResult {
  /** The names of the migrations that this call applied. */
  readonly applied: readonly string[]
  /** The number of the last migration, for people: `14`. */
  readonly version: string
}

export interface MigrationOptions extends Omit<Patience, 'log'> {
  /** By which the service itself connects: its role gets the rights that it needs. */
  readonly serviceUrl?: string
}

/**
 * Brings a schema up to date with the `.sql` files of a directory, in one transaction. Any number
 * of processes may do so at once: one works and the others wait for it.
 *
 * @throws {AppError} `failed_precondition` when a later build has been at the database, or a
 *   migration fails, which leaves everything as it was; `unavailable` when it took too long to
 *   reach the server or to get one's turn
 */
export async function migrate(
  url: string,
  schema: string,
  directory: URL,
  log: Logger,
  { serviceUrl, ...patience }: MigrationOptions = {},
): Promise<MigrationResult> {
  const known = await listMigrations(directory)
  const { client, close } = await patiently({ ...patience, log }, () => connect(url, schema))
  try {
    await patiently({ ...patience, log }, () => lockSchema(client, schema))
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
    // Which also gives back the lock.
    await close()
  }
}

/**
 * Waits until somebody else has brought the schema up to date.
 *
 * @throws {AppError} `failed_precondition` when a later build has been at the database;
 *   `unavailable` when it took too long
 */
export async function waitForMigrations(
  url: string,
  schema: string,
  directory: URL,
  patience: Patience = {},
): Promise<Pick<MigrationResult, 'version'>> {
  const known = await listMigrations(directory)
  return patiently(patience, async () => {
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
    // A migration that waits for a lock stops everybody behind it: better to fail and come again.
    lock_timeout: 5000,
    // Filling a new column of a large table takes minutes; more than that hangs.
    statement_timeout: 300_000,
  })
}

/**
 * Asks for the lock instead of waiting for it in the server: there the wait would be a statement
 * in progress, and `CREATE INDEX CONCURRENTLY` waits for all of those.
 */
async function lockSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [
    lockValue(schema),
  ])
  if (rows[0].locked !== true) {
    throw unavailable(`Another process is migrating schema "${schema}".`)
  }
}

/** 48 bits, for the library takes a number. */
function lockValue(schema: string): number {
  return createHash('sha256').update(`migrations of ${schema}`).digest().readUIntBE(0, 6)
}

async function createSchema(client: pg.Client, schema: string): Promise<void> {
  // `IF NOT EXISTS` would ask for the right to create one even where there is one.
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
