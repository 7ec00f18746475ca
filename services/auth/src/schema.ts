import { databaseUrl } from '@svc/config'
import { migrate, waitForMigrations } from '@svc/database'
import type { ProcessContext } from '@svc/process'

export const schema = 'auth'

export const migrations = new URL('../migrations/', import.meta.url)

/** Brings the schema up to date, as the owner of its tables if that is another role than the service's. */
export async function migrateAuth(
  { settings, log }: ProcessContext,
  timeoutMs?: number,
): Promise<undefined> {
  const ownerUrl = settings.db.ownerUrl?.reveal()
  await migrate(databaseUrl(settings), schema, migrations, { log, timeoutMs, ownerUrl })
}

/** Brings the schema up to date, or waits until that is done where the settings say so. */
export async function upToDate(context: ProcessContext, timeoutMs?: number): Promise<void> {
  const { settings, log } = context
  if (settings.db.autoMigrate) await migrateAuth(context, timeoutMs)
  else await waitForMigrations(databaseUrl(settings), schema, migrations, { log, timeoutMs })
}
