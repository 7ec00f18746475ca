import { bold } from '../../../text/rich.tsx'
import type { VariantsTexts } from './texts.ts'

export const de: VariantsTexts = {
  title: 'Varianten',
  lead: 'Was das Flag antworten kann. Der Code sieht den Schlüssel und auf Wunsch den Anhang.',
  add: 'Variante',
  variant: 'Variante',
  nameColumn: 'Name',
  attachment: 'Anhang',
  usedBy: 'Genutzt von',
  more: 'Mehr',
  default: 'Standard',
  rules: (count, text) => (count === 1 ? '1 Regel' : `${text} Regeln`),
  notUsed: 'keiner Regel',
  noAttachment: 'keiner',
  emptyTitle: 'Noch keine Varianten',
  emptyText: 'Eine Variante ist eine der Antworten des Flags. Ohne Varianten gibt es keine.',
  addFirst: 'Die erste Variante anlegen',
  booleanTitle: 'Dieses Flag antwortet mit Ja oder Nein',
  booleanText:
    'Es hat keine Varianten. Ein Flag mit mehreren Antworten wird als Flag mit Varianten angelegt.',
  toTargeting: 'Zu seinem Targeting',
  deleteNote:
    'Wer eine Variante löscht, nimmt sie aus ihren Regeln. Wer sie hatte, erhält dann den Standard, außer Sie geben ihren Anteil einer anderen, unter',
  targeting: 'Targeting',
  noDefault:
    'Es gibt keinen Standard: Wo keine Regel antwortet, erhält der Code den Standard, den er selbst mitbringt.',
  edit: 'Bearbeiten',
  makeDefault: 'Zum Standard machen',
  copyKey: 'Schlüssel kopieren',
  copied: (what) => `${what} kopiert`,
  delete: 'Löschen…',
  newTitle: 'Neue Variante',
  key: 'Schlüssel',
  keyHelp: 'Was der Code erhält. Ein neuer Schlüssel erreicht den Code sofort.',
  keyMissing: 'Sie braucht einen Schlüssel.',
  keyTaken: (key) => `Es gibt schon eine Variante ${key}.`,
  tooLong: 'Höchstens 255 Zeichen.',
  descriptionTooLong: 'Höchstens 64 KiB.',
  name: 'Name',
  description: 'Beschreibung',
  format: 'Formatieren',
  copyAttachment: 'Kopieren',
  size: (bytes, max) => `${bytes} von ${max} Bytes`,
  noJson: (line) => `Zeile ${line}: Das ist kein JSON.`,
  attachmentTooLong: (max) => `Höchstens ${max} Bytes ohne Leerraum.`,
  tooDeep: (max) => `Höchstens ${max} Ebenen.`,
  defaultHelp: 'Standard: gilt, wenn keine Regel passt und wenn das Flag deaktiviert ist',
  save: 'Variante speichern',
  created: (key, flag) => `${bold(key)} ist eine Variante von ${flag}`,
  saved: (key, flag) => `${bold(key)} von ${flag} ist gespeichert`,
  isDefault: (key) => `Alle anderen erhalten ${bold(key)}`,
  makeDefaultIn: (key) => `${key} zum Standard machen in`,
  makeDefaultText: (key) =>
    `Wen keine Regel bedient, erhält von da an ${key}. Sie können es rückgängig machen.`,
  othersElsewhere:
    'Andere haben das Flag inzwischen geändert, aber nicht diese Variante. Speichern Sie noch einmal.',
  othersDefault:
    'Andere haben den Standard inzwischen geändert. Noch einmal zu speichern ersetzt, was sie getan haben.',
  othersHere:
    'Andere haben diese Variante inzwischen geändert. Noch einmal zu speichern ersetzt, was sie getan haben.',
  othersDeleted:
    'Andere haben diese Variante inzwischen gelöscht. Noch einmal zu speichern legt sie neu an, in keiner Regel.',
  takeTheirs: 'Deren Stand nehmen',
  deleteTitle: (key) => `Variante ${key} löschen in`,
  deleteAction: 'Variante löschen',
  deleted: (key, flag) => `${bold(key)} von ${flag} ist gelöscht`,
  rule: (place, segments) => `Regel ${place}, für ${segments}`,
  losesShare: (share, heir) => `${share} haben sie. Sie erhalten den Standard ${heir}.`,
  losesShareToCode: (share) =>
    `${share} haben sie. Sie erhalten den Standard, den der Code selbst mitbringt.`,
  laterNotAsked: 'Spätere Regeln werden nicht gefragt.',
  movesOthers: 'Varianten danach rücken auf, sodass einige der anderen eine andere erhalten.',
  deletesDefault:
    'Sie ist der Standard. Alle anderen erhalten den Standard, den der Code selbst mitbringt.',
  isUnserved: 'Keine Regel liefert sie, und sie ist nicht der Standard: Niemand verliert sie.',
  canUndo: 'Sie können es rückgängig machen.',
}
