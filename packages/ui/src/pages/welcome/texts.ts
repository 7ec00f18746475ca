import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'First steps',
}

export type WelcomeTexts = typeof en

export const welcomeTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
