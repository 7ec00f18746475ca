import type { HistoryTexts } from './texts.ts'

export const de: HistoryTexts = {
  title: 'Verlauf',
}
