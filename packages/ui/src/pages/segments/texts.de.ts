import type { SegmentsTexts } from './texts.ts'

export const de: SegmentsTexts = {
  title: 'Segmente',
}
