import type { AuditTexts } from './texts.ts'

export const de: AuditTexts = {
  title: 'Protokoll',
}
