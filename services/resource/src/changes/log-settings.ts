import { ChainKeys } from '@svc/audit'
import type { Database } from '@svc/database'
import { AppError } from '@svc/runtime'

/** How a service logs changes. */
export interface LogSettings {
  readonly keys: ChainKeys
  /** Maximum bytes that a namespace logs in a day. */
  readonly dailyBytes: number
}

const settingsOf = new WeakMap<Database, LogSettings>()

/** Sets how the changes of a database are logged. */
export function configureLog(db: Database, settings: LogSettings): void {
  settingsOf.set(db, settings)
}

/** Without a key and a bound unless {@link configureLog} has set them. */
export function logSettingsOf(db: Database): LogSettings {
  return settingsOf.get(db) ?? { keys: new ChainKeys(), dailyBytes: Number.POSITIVE_INFINITY }
}

/** The error of a change beyond what a namespace may log in a day. */
export function tooManyChanges(namespaceKey: string, dailyBytes: number): AppError {
  const message =
    `namespace "${namespaceKey}" has logged ${Math.floor(dailyBytes / 2 ** 20)} MiB of changes today; ` +
    'change less of it, or raise changes.daily_bytes'
  return new AppError('resource_exhausted', 'too_many_changes', message)
}
