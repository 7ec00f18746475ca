import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Tokens',
}

export type TokensTexts = typeof en

export const tokensTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
