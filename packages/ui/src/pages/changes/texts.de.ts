import type { ChangesTexts } from './texts.ts'

export const de: ChangesTexts = {
  title: 'Änderungen',
}
