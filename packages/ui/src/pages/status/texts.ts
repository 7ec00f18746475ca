import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Status',
}

export type StatusTexts = typeof en

export const statusTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
