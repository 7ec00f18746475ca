import { SettingsError } from '@svc/runtime'
import { type Settings, sharedSettings } from './schema.ts'

/**
 * What a setting needs of others: two that contradict each other, or one that is missing. A setting
 * that merely has no effect is allowed, so that a feature can be switched off for a while.
 */
export interface Requirement {
  /** Of the setting that is refused, for example `cors.enabled`. */
  readonly key: string
  readonly isMet: boolean
  /** What is wrong, as it follows the key. */
  readonly wrong: string
  /** What to do about it. */
  readonly remedy: string
}

export function present(key: string, value: unknown): Requirement {
  return { key, isMet: value !== undefined, wrong: 'is missing', remedy: 'Set it' }
}

export function notEmpty(key: string, values: object, fault: string): Requirement {
  const isMet = Object.keys(values).length > 0
  const wrong = key.endsWith('.enabled') ? `is true, but ${fault}` : fault
  return { key, isMet, wrong, remedy: 'Name at least one' }
}

/**
 * The value of a setting that has no default, for a service that needs it.
 *
 * @throws {SettingsError} when it was not given
 */
export function requireSetting<T>(value: T | undefined, key: string): T {
  if (value !== undefined) return value
  const setting = sharedSettings.index.find(key)
  if (setting === undefined) throw new TypeError(`there is no setting ${key}`)
  const { variable, isSecret } = setting
  const file = isSecret ? `, or name a file that holds it in ${variable}_FILE` : ''
  throw new SettingsError([
    `${key} is missing. Set it in the configuration file or in ${variable}${file}.`,
  ])
}

/** @throws {SettingsError} when it is missing */
export function databaseUrl({ db }: Pick<Settings, 'db'>): string {
  return requireSetting(db.url, 'db.url').reveal()
}

/**
 * The URL by which a session is the caller's own, whatever pools those of `db.url`.
 *
 * @throws {SettingsError} when neither is given
 */
export function directDatabaseUrl(settings: Pick<Settings, 'db'>): string {
  return settings.db.directUrl?.reveal() ?? databaseUrl(settings)
}

/**
 * The keys that auth and resource share and gateways do not know: auth signs with the first, and
 * resource accepts all. None where the settings allow calls without protection.
 *
 * @throws {SettingsError} when it is missing otherwise
 */
export function assertionKeysOf({ internal }: Pick<Settings, 'internal'>): readonly string[] {
  const { assertionKey, previousAssertionKey, insecure } = internal
  if (assertionKey === undefined && insecure) return []
  const key = requireSetting(assertionKey, 'internal.assertion_key')
  return [key, previousAssertionKey].flatMap((one) => one?.reveal() ?? [])
}
