import type { ConsoleTexts } from './texts.ts'

export const de: ConsoleTexts = {
  title: 'Konsole',
}
