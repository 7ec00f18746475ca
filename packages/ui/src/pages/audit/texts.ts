import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Audit log',
}

export type AuditTexts = typeof en

export const auditTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
