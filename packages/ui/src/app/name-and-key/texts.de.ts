import type { NameAndKeyTexts } from './texts.ts'

export const de: NameAndKeyTexts = {
  name: 'Name',
  nameMissing: 'Der Name fehlt.',
  key: 'Schlüssel',
  keyHelp: 'Er lässt sich später nicht ändern.',
  keyFree: 'Frei. Er lässt sich später nicht ändern.',
  keyMissing: 'Der Schlüssel fehlt.',
  keyWrong: 'Nur Buchstaben ohne Umlaute, Ziffern und - _ ,',
  tooLong: 'Höchstens 255 Zeichen.',
  checking: 'Prüft, ob er frei ist',
}
