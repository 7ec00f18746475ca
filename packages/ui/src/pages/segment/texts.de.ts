import type { SegmentTexts } from './texts.ts'

export const de: SegmentTexts = {
  title: 'Segment',
}
