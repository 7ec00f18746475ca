import type { TokensTexts } from './texts.ts'

export const de: TokensTexts = {
  title: 'Tokens',
}
