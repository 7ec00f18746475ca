import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Settings',
}

export type SettingsTexts = typeof en

export const settingsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
