import type { SessionsTexts } from './texts.ts'

export const de: SessionsTexts = {
  title: 'Sitzungen',
}
