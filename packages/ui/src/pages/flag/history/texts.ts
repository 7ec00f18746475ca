import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'History',
}

export type HistoryTexts = typeof en

export const historyTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
