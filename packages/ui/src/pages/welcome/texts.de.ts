import type { WelcomeTexts } from './texts.ts'

export const de: WelcomeTexts = {
  title: 'Erste Schritte',
}
