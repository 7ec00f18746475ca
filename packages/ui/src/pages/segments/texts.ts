import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Segments',
}

export type SegmentsTexts = typeof en

export const segmentsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
