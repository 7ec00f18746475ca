import { requireSetting } from './problems.ts'
import type { Settings } from './settings.ts'

/**
 * What auth and resource know in common, and gateways do not. The first is used, all are accepted. None
 * where services go without anything of the kind.
 *
 * @throws {SettingsError} when it is missing, and the settings do not say that this is meant
 */
export function assertionKeysOf({ internal }: Pick<Settings, 'internal'>): readonly string[] {
  const { assertionKey, previousAssertionKey, insecure } = internal
  if (assertionKey === undefined && insecure) return []
  const key = requireSetting(assertionKey, 'internal.assertion_key')
  return [key, previousAssertionKey].flatMap((one) => one?.reveal() ?? [])
}
