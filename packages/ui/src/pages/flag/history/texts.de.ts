import type { HistoryTexts } from './texts.ts'

export const de: HistoryTexts = {
  title: 'Verlauf',
  today: 'Heute',
  yesterday: 'Gestern',
  day: (day) => `Änderungen vom ${day}`,
  emptyTitle: 'Von diesem Flag ist nichts bekannt',
  emptyText: 'Seine Änderungen sind älter als das, was aufbewahrt wird, oder es gab es nie.',
}
