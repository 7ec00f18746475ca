import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Changes',
}

export type ChangesTexts = typeof en

export const changesTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
