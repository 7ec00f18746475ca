import { bold } from '../../text/rich.tsx'
import type { NewNamespaceTexts } from './texts.ts'

export const de: NewNamespaceTexts = {
  title: 'Neuer Namensraum',
  lead: 'Ein Namensraum hat eigene Flags und Segmente, etwa die eines Teams, einer Anwendung oder einer Umgebung.',
  namePlaceholder: 'Produktion',
  keyTaken: (key) => `Den Namensraum ${key} gibt es schon.`,
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
