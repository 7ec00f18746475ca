import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'History',
  today: 'Today',
  yesterday: 'Yesterday',
  day: (day: string) => `Changes of ${day}`,
  emptyTitle: 'Nothing is known of this flag',
  emptyText: 'Its changes are older than what is kept, or it was never there.',
}

export type HistoryTexts = typeof en

export const historyTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
