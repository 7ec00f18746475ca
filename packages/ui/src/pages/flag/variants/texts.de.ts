import type { VariantsTexts } from './texts.ts'

export const de: VariantsTexts = {
  title: 'Varianten',
}
