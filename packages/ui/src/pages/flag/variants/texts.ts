import { bold } from '../../../text/rich.tsx'
import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'Variants',
  lead: 'What the flag can answer. Code sees the key, and the attachment if it asks for it.',
  add: 'Variant',
  variant: 'Variant',
  nameColumn: 'Name',
  attachment: 'Attachment',
  usedBy: 'Used by',
  more: 'More',
  default: 'default',
  rules: (count: number, text: string) => (count === 1 ? '1 rule' : `${text} rules`),
  notUsed: 'no rule',
  noAttachment: 'none',
  emptyTitle: 'No variants yet',
  emptyText: 'A variant is one of the answers that the flag can give. Without any it gives none.',
  addFirst: 'Add the first variant',
  booleanTitle: 'This flag answers yes or no',
  booleanText:
    'It has no variants. A flag that gives one of several answers is made as a variant flag.',
  toTargeting: 'To its targeting',
  deleteNote:
    'Deleting a variant takes it out of its rules. Those who had it get the default then, unless you give its share to another in',
  targeting: 'Targeting',
  noDefault:
    'There is no default: where no rule answers, code gets the default that it brings itself.',
  // Menu
  edit: 'Edit',
  makeDefault: 'Make it the default',
  copyKey: 'Copy the key',
  copied: (what: string) => `Copied ${what}`,
  delete: 'Delete…',
  // Panel
  newTitle: 'New variant',
  key: 'Key',
  keyHelp: 'What code gets. A new key reaches code at once.',
  keyMissing: 'It needs a key.',
  keyTaken: (key: string) => `There is a variant ${key} already.`,
  tooLong: 'At most 255 characters.',
  descriptionTooLong: 'At most 64 KiB.',
  name: 'Name',
  description: 'Description',
  format: 'Format',
  copyAttachment: 'Copy',
  size: (bytes: string, max: string) => `${bytes} of ${max} bytes`,
  noJson: (line: string) => `Line ${line}: this is no JSON.`,
  attachmentTooLong: (max: string) => `At most ${max} bytes without white space.`,
  tooDeep: (max: string) => `At most ${max} levels.`,
  defaultHelp: 'Default: served when no rule matches, and when the flag is disabled',
  save: 'Save variant',
  created: (key: string, flag: string) => `${bold(key)} is a variant of ${flag}`,
  saved: (key: string, flag: string) => `${bold(key)} of ${flag} is saved`,
  isDefault: (key: string) => `Everyone else gets ${bold(key)}`,
  makeDefaultIn: (key: string) => `Make ${key} the default in`,
  makeDefaultText: (key: string) =>
    `Who is served by no rule gets ${key} from then on. You can undo it.`,
  // Conflict
  othersElsewhere: 'Others have changed the flag meanwhile, but not this variant. Save again.',
  othersDefault: 'Others have changed the default meanwhile. To save again replaces what they did.',
  othersHere: 'Others have changed this variant meanwhile. To save again replaces what they did.',
  othersDeleted:
    'Others have deleted this variant meanwhile. To save again makes it anew, in no rule.',
  takeTheirs: 'Take theirs',
  // Delete
  deleteTitle: (key: string) => `Delete variant ${key} in`,
  deleteAction: 'Delete variant',
  deleted: (key: string, flag: string) => `${bold(key)} of ${flag} is deleted`,
  rule: (place: string, segments: string) => `Rule ${place}, for ${segments}`,
  losesShare: (share: string, heir: string) => `${share} have it. They get the default, ${heir}.`,
  losesShareToCode: (share: string) =>
    `${share} have it. They get the default that the code brings itself.`,
  laterNotAsked: 'Later rules are not asked.',
  movesOthers: 'Variants after it move up, so some of the others get another one.',
  deletesDefault: 'It is the default. Everyone else gets the default that the code brings itself.',
  isUnserved: 'No rule serves it, and it is not the default: no answer changes.',
  canUndo: 'You can undo it.',
}

export type VariantsTexts = typeof en

export const variantsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
