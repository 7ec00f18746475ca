import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'Settings',
}

export type FlagSettingsTexts = typeof en

export const flagSettingsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
