import type { SettingsTexts } from './texts.ts'

export const de: SettingsTexts = {
  title: 'Einstellungen',
}
