import { bold } from '../../text/rich.tsx'
import type { NewNamespaceTexts } from './texts.ts'

export const de: NewNamespaceTexts = {
  title: 'Neuer Namensraum',
  lead: 'Ein Namensraum hat eigene Flags und Segmente, etwa die eines Teams, einer Anwendung oder einer Umgebung.',
  name: 'Name',
  namePlaceholder: 'Produktion',
  nameMissing: 'Er braucht einen Namen.',
  key: 'Schlüssel',
  keyHelp: 'Er lässt sich später nicht ändern.',
  keyFree: 'Frei. Er lässt sich später nicht ändern.',
  keyMissing: 'Er braucht einen Schlüssel.',
  keyWrong: 'Nur Buchstaben ohne Umlaute, Ziffern und - _ ,',
  keyTaken: (key) => `Den Namensraum ${key} gibt es schon.`,
  tooLong: 'Höchstens 255 Zeichen.',
  description: 'Beschreibung',
  color: 'Farbe',
  colors: {
    blue: 'Blau',
    green: 'Grün',
    amber: 'Bernstein',
    pink: 'Rosa',
    teal: 'Petrol',
    red: 'Rot',
    violet: 'Violett',
    olive: 'Oliv',
  },
  confirm: 'Vor Änderungen an dem, was geliefert wird, fragen',
  confirmHelp: 'Ein Schalter in einer Liste sagt dann zuerst, was er bewirkt und für wen.',
  create: 'Namensraum anlegen',
  created: (name) => `${bold(name)} ist angelegt`,
}
