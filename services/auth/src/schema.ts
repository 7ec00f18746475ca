import { databaseUrl, directDatabaseUrl } from '@svc/config'
import { checkSessions, migrate, waitForMigrations } from '@svc/database'
import type { ProcessContext } from '@svc/process'

export const schema = 'auth'

export const migrations = new URL('../migrations/', import.meta.url)

/** Brings the schema up to date, as the owner of its tables if that is another role than the service's. */
export async function migrateAuth(
  { settings, log, onWait }: ProcessContext,
  timeoutMs?: number,
): Promise<undefined> {
  const ownerUrl = settings.db.ownerUrl?.reveal()
  const directUrl = directDatabaseUrl(settings)
  const options = { log, timeoutMs, onWait, ownerUrl, directUrl }
  await migrate(databaseUrl(settings), schema, migrations, options)
}

/**
 * Brings the schema up to date, or waits until that is done where the settings say so; and checks that sessions
 * are as the service needs them.
 */
export async function upToDate(context: ProcessContext, timeoutMs?: number): Promise<void> {
  const { settings, log, onWait } = context
  const options = { log, timeoutMs, onWait }
  const directUrl = directDatabaseUrl(settings)
  const isMigratedByOthers = !settings.db.autoMigrate
  if (settings.db.autoMigrate) await migrateAuth(context, timeoutMs)
  else await waitForMigrations(directUrl, schema, migrations, options)
  await checkSessions(databaseUrl(settings), { ...options, directUrl, isMigratedByOthers })
}
