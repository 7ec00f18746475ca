import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Segment',
}

export type SegmentTexts = typeof en

export const segmentTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
