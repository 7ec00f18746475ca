import type { FlagTexts } from './texts.ts'

export const de: FlagTexts = {
  flags: 'Flags',
  tabs: 'Teile des Flags',
  targeting: 'Targeting',
  variants: 'Varianten',
  history: 'Verlauf',
  settings: 'Einstellungen',
}
