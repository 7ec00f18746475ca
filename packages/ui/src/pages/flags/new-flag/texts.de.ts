import { bold } from '../../../text/rich.tsx'
import type { NewFlagTexts } from './texts.ts'

export const de: NewFlagTexts = {
  titleIn: 'Neues Flag in',
  need: 'Was braucht Ihr Code?',
  yesNo: 'Ja oder nein',
  yesNoText: 'Etwas für einige einschalten, dann für alle.',
  boolean: 'Ja/Nein',
  several: 'Eines von mehreren',
  severalText: 'Ein Experiment oder ein Wert, der sich ohne neue Version ändert.',
  variant: 'Varianten',
  namePlaceholder: 'Expresslieferung',
  keyTaken: (key) => `Das Flag ${key} gibt es schon.`,
  variants: 'Varianten',
  variantsHelp: 'Die erste ist der Standard: zunächst erhalten sie alle.',
  variantsPlaceholder: 'control, new',
  variantsMissing: 'Es braucht mindestens zwei Varianten.',
  description: 'Beschreibung',
  descriptionPlaceholder: 'Was sich für die Menschen ändert, wenn es an ist',
  tags: 'Tags',
  tagsPlaceholder: 'Tag hinzufügen',
  code: 'So fragt Ihr Code danach',
  codeComment: '// so fragt Ihr Code danach',
  startsOff: 'Es ist zunächst für alle aus.',
  startsWith: (variant) => `Zunächst erhalten alle ${variant}.`,
  create: 'Flag anlegen',
  created: (name, namespace) => `${bold(name)} ist in ${namespace} angelegt`,
}
