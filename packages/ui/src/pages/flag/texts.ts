import { defineTexts } from '../../text/texts.ts'

const en = {
  flags: 'Flags',
  tabs: 'Parts of the flag',
  targeting: 'Targeting',
  variants: 'Variants',
  history: 'History',
  settings: 'Settings',
}

export type FlagTexts = typeof en

export const flagTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
