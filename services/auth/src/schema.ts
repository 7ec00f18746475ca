import { requireSetting, type Settings } from '@svc/config'
import { migrate, type RetryOptions, waitForMigrations } from '@svc/database'
import type { Logger } from '@svc/runtime'

export const schema = 'auth'

export const migrations = new URL('../migrations/', import.meta.url)

/** @throws {SettingsError} when it is missing */
export function databaseUrl({ db }: Pick<Settings, 'db'>): string {
  return requireSetting(db.url, 'db.url').reveal()
}

type LoggedRetryOptions = RetryOptions & { readonly log: Logger }

/** Brings the schema up to date, as the owner of its tables if that is another role than the service's. */
export async function migrateSchema(
  settings: Pick<Settings, 'db'>,
  { log, ...retry }: LoggedRetryOptions,
): Promise<void> {
  const serviceUrl = databaseUrl(settings)
  const url = settings.db.ownerUrl?.reveal() ?? serviceUrl
  await migrate(url, schema, migrations, log, { ...retry, serviceUrl })
}

/** Brings the schema up to date, or waits until that is done where the settings say so. */
export async function upToDate(
  settings: Pick<Settings, 'db'>,
  retry: LoggedRetryOptions,
): Promise<void> {
  if (settings.db.autoMigrate) await migrateSchema(settings, retry)
  else await waitForMigrations(databaseUrl(settings), schema, migrations, retry)
}
