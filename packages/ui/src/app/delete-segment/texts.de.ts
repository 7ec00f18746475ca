import { bold } from '../../text/rich.tsx'
import type { DeleteSegmentTexts } from './texts.ts'

export const de: DeleteSegmentTexts = {
  title: (name) => `${name} löschen aus`,
  text: 'Kein Flag nutzt es. Seine Bedingungen verschwinden mit ihm. Sie können es rückgängig machen.',
  action: 'Segment löschen',
  deleted: (name, namespace) => `${bold(name)} ist aus ${namespace} gelöscht`,
  blockedTitle: (name) => `${name} lässt sich jetzt nicht löschen`,
  blocked: (count, text) =>
    count === 1
      ? 'Ein Flag nutzt es. Nehmen Sie es zuerst aus dessen Regeln.'
      : `${text} Flags nutzen es. Nehmen Sie es zuerst aus deren Regeln.`,
  more: (count) => `Und ${count} weitere`,
  looking: 'Sucht die Flags, die es nutzen',
}
