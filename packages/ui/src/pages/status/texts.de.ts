import type { StatusTexts } from './texts.ts'

export const de: StatusTexts = {
  title: 'Zustand',
}
