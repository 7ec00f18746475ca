import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AppError, type Logger, unavailable } from '@svc/runtime'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { openConnection } from './connection.ts'
import { translateError } from './errors.ts'
import { admitRole } from './roles.ts'

export interface RetryOptions {
  readonly log: Logger
  /**
   * Maximum time of retries, in milliseconds: for the server, and for another process that migrates.
   * @default 60000, the time of a server that starts and recovers
   */
  readonly timeoutMs?: number | undefined
}

/** Pause between retries, in milliseconds: short for a person who watches the start. */
const pauseMs = 100

const migrationsTable = 'migrations'

/**
 * Brings a schema up to date with the `.sql` files of a directory, in one transaction. Of several
 * processes at once, one migrates and the others wait.
 *
 * @param url of the service, whose role is granted what it needs
 * @param options `ownerUrl` is that of the role that owns the tables, if it is another
 * @returns the names of the migrations that this call applied
 * @throws {AppError} `failed_precondition` when a later build has migrated the database, or a
 *   migration fails, which changes nothing; `unavailable` when the server cannot be reached in time,
 *   or the other process takes too long
 */
export async function migrate(
  url: string,
  schema: string,
  directory: URL,
  options: RetryOptions & { readonly ownerUrl?: string | undefined },
): Promise<string[]> {
  const { log, ownerUrl = url } = options
  const known = await listMigrations(directory)
  const { client, close } = await retryWhileUnavailable(options, () => connect(ownerUrl, schema))
  try {
    await retryWhileUnavailable(options, () => lockSchema(client, schema))
    await createSchema(client, schema)
    refuseUnknown(await readApplied(client, schema), known)
    await admitRole(client, schema, url, log)
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
  options: RetryOptions,
): Promise<void> {
  const known = await listMigrations(directory)
  await retryWhileUnavailable(options, async () => {
    const { client, close } = await connect(url, schema)
    try {
      const applied = await readApplied(client, schema)
      refuseUnknown(applied, known)
      if (applied.length < known.length) {
        const state = `at version ${versionOf(applied)}, this build needs ${versionOf(known)}`
        throw unavailable(`Schema "${schema}" is ${state}. Run the migrations.`)
      }
    } catch (error) {
      throw translateError(error)
    } finally {
      await close()
    }
  })
}

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

/** Number of the last migration; `0` before the first. */
function versionOf(names: readonly string[]): string {
  return String(Number.parseInt(names.at(-1) ?? '0', 10))
}

/** @throws {AppError} when a later build has migrated this database */
function refuseUnknown(applied: readonly string[], known: readonly string[]): void {
  const [unknown] = applied.filter((name) => !known.includes(name))
  if (unknown === undefined) return
  const [theirs, ours] = [versionOf([...applied].sort()), versionOf(known)]
  const fact =
    Number(theirs) > Number(ours)
      ? `Database is at version ${theirs}, this build knows ${ours}`
      : `Database has the migration ${unknown}, which this build does not know`
  const message = `${fact}. Upgrade svc, or restore a backup.`
  throw new AppError('failed_precondition', 'database_too_new', message)
}

function migrationError(schema: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const message = `Can't migrate schema "${schema}": ${reason}.`
  return new AppError('failed_precondition', 'migration_failed', message, { cause: error })
}

/** Retries what fails as `unavailable`, until it succeeds, fails otherwise or the time is up. */
async function retryWhileUnavailable<T>(
  { log, timeoutMs = 60_000 }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      const mayPass = error instanceof AppError && error.code === 'unavailable'
      if (!mayPass || performance.now() > deadline) throw error
      if (failures === 0) log.warn(`${error.message} Trying for ${timeoutMs / 1000} s.`)
    }
    await sleep(pauseMs)
  }
}
