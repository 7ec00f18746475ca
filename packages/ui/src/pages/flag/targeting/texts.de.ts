import type { TargetingTexts } from './texts.ts'

export const de: TargetingTexts = {
  title: 'Targeting',
}
