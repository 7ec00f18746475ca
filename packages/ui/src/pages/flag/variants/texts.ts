import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'Variants',
}

export type VariantsTexts = typeof en

export const variantsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
