import { bold } from '../rich.tsx'
import type { Text } from '../text.ts'

export const flags: Text['flags'] = {
  title: 'Flags',
  newFlag: 'Neue Flag',
  search: 'Flags suchen',
  searchHint: 'Name, Schlüssel oder Beschreibung',
  columns: {
    state: 'Zustand',
    flag: 'Flag',
    serves: 'Liefert',
    tags: 'Tags',
    changed: 'Geändert',
  },
  filters: { type: 'Typ', state: 'Zustand', tag: 'Tag', clear: 'Filter löschen' },
  boolean: 'Ja/Nein',
  variant: 'Varianten',
  enabled: 'An oder aktiv',
  disabled: 'Aus oder inaktiv',
  emptyTitle: (namespace) => `Noch keine Flags in ${namespace}`,
  emptyText:
    'Eine Flag ist eine benannte Frage Ihres Codes. Regeln entscheiden, wer welche Antwort erhält.',
  noMatchTitle: 'Keine Flag passt',
  noMatchText: (query) => `Nichts enthält ${query} in Name, Schlüssel oder Beschreibung.`,
  switchBoolean: (name, isOn) => `${name}: alle anderen erhalten ${isOn ? 'An' : 'Aus'}`,
  switchVariant: (name, isOn) => `${name}: ${isOn ? 'aktiv' : 'inaktiv'}`,
  isOn: (name, namespace) => `${bold(name)} ist in ${namespace} an`,
  isOff: (name, namespace) => `${bold(name)} ist in ${namespace} aus`,
  notSwitched: (name, reason) => `${bold(name)} wurde nicht geändert: ${reason}`,
}
