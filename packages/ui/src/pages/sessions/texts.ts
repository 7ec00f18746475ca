import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Sessions',
}

export type SessionsTexts = typeof en

export const sessionsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
