import type { ChangesTexts } from './texts.ts'

export const de: ChangesTexts = {
  title: 'Änderungen',
  lead: 'Wer in diesem Namensraum was geändert hat, wann und warum. Jede Änderung lässt sich zurücknehmen.',
  label: 'Änderungen',
  more: 'Einzelheiten',
  kind: 'Was',
  kinds: { flag: 'Nur Flags', segment: 'Segmente', namespace: 'Der Namensraum' },
  key: 'Schlüssel',
  keyOf: { flag: 'Das Flag', segment: 'Das Segment', namespace: 'Namensraum' },
  emptyTitle: (namespace) => `In ${namespace} wurde noch nichts geändert`,
  emptyText: 'Was ab jetzt geschrieben wird, steht hier, mit dem Stand davor.',
}
