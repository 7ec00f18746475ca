import type { Text } from '../text.ts'

export const common: Text['common'] = {
  close: 'Schließen',
  cancel: 'Abbrechen',
  copy: (text) => `${text} kopieren`,
  copied: 'Kopiert',
  loading: 'Wird geladen',
  tryAgain: 'Erneut versuchen',
  undo: 'Rückgängig',
  optional: 'freiwillig',
  on: 'An',
  off: 'Aus',
  previous: 'Zurück',
  next: 'Weiter',
  more: (name) => `Mehr zu ${name}`,
  range: (from, to, total) => `${from}–${to} von ${total}`,
  errorTitle: 'Das konnte nicht geladen werden',
  requestId: 'Anfrage',
  unreachable: 'Der Server ist nicht erreichbar.',
  notFoundTitle: 'Diese Seite gibt es nicht',
  notFoundText: 'Der Link ist vielleicht alt oder enthält einen Tippfehler.',
}
