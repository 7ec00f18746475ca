import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Changes',
  lead: 'Who changed what in this namespace, when and why. Each change can be taken back.',
  label: 'Changes',
  more: 'Details',
  kind: 'What',
  kinds: { flag: 'Flags', segment: 'Segments', namespace: 'The namespace' },
  key: 'Key',
  keyOf: { flag: 'Flag', segment: 'Segment', namespace: 'Namespace' },
  emptyTitle: (namespace: string) => `Nothing was changed in ${namespace} yet`,
  emptyText: 'What is written from now on is kept here, with what was there before.',
}

export type ChangesTexts = typeof en

export const changesTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
