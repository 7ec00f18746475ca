import { SettingsError } from '@svc/runtime'
import { type Settings, sharedSettings } from './schema.ts'

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
