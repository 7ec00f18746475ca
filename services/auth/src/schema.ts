import { migrate, type Patience, waitForMigrations } from '@svc/database'
import { type Logger, requireSetting, type Settings } from '@svc/runtime'

export const schema = 'auth'

export const migrations = new URL('../migrations/', import.meta.url)

/** @throws {SettingsError} when it is missing */
export function databaseUrl({ db }: Pick<Settings, 'db'>): string {
  return requireSetting(db.url, 'db.url').reveal()
}

/** Brings the schema up to date, or waits until that is done where the settings say so. */
export async function upToDate(
  settings: Pick<Settings, 'db'>,
  patience: Patience & { readonly log: Logger },
): Promise<void> {
  const url = databaseUrl(settings)
  if (settings.db.autoMigrate) await migrate(url, schema, migrations, patience.log, patience)
  else await waitForMigrations(url, schema, migrations, patience)
}
