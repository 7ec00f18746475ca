export {
  type MethodId,
  type MethodSection,
  type MethodSwitch,
  methodSection,
  methodSwitch,
} from './authentication.ts'
export { readSmallFile, unreadable } from './files.ts'
export { parseDuration } from './kinds/values.ts'
export { loadSettings } from './load.ts'
export {
  assertionKeysOf,
  databaseUrl,
  directDatabaseUrl,
  notEmpty,
  present,
  type Requirement,
  requireSetting,
} from './requirements.ts'
export {
  joinSections,
  type Settings,
  type SettingsIn,
  type SettingsOf,
  type SettingsSchema,
  sharedSettings,
} from './schema.ts'
