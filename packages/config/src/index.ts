export { parseDuration } from './kinds/duration.ts'
export { type LoadedSettings, loadSettings, type SettingsSources } from './load.ts'
export { assertionKeysOf, requireSetting } from './require-setting.ts'
export { notEmpty, present, type Requirement } from './requirements.ts'
export {
  joinSections,
  type Settings,
  type SettingsIn,
  type SettingsOf,
  type SettingsSchema,
  sharedSettings,
} from './schema.ts'
export {
  type MethodId,
  type MethodSection,
  type MethodSwitch,
  methodSection,
  methodSwitch,
} from './sections/methods.ts'
export { readSmallFile, unreadable } from './small-file.ts'
