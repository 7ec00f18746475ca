import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Console',
}

export type ConsoleTexts = typeof en

export const consoleTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
