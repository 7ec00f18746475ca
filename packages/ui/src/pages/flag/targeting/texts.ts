import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'Targeting',
}

export type TargetingTexts = typeof en

export const targetingTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
