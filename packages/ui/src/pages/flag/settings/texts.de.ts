import type { FlagSettingsTexts } from './texts.ts'

export const de: FlagSettingsTexts = {
  title: 'Einstellungen',
}
