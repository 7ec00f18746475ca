import { bold } from '../../../text/rich.tsx'
import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'Settings',
  about: 'About it',
  name: 'Name',
  nameMissing: 'It needs a name.',
  tooLong: 'At most 255 characters.',
  key: 'Key',
  keyHelp: 'Code asks for it by this key, so it stays as it is.',
  description: 'Description',
  descriptionTooLong: 'At most 64 KiB.',
  tags: 'Tags',
  tagsHint: 'Add a tag',
  tagsHelp: 'Up to 20, of at most 64 characters each.',
  tagTooLong: 'A tag has at most 64 characters.',
  tooManyTags: 'At most 20 tags.',
  metadata: 'More about it',
  metadataMark: 'metadata',
  metadataHelp: 'The entry owner says who answers for the flag.',
  entryName: (place: string) => `Name of entry ${place}`,
  entryValue: (place: string) => `Value of entry ${place}`,
  removeEntry: (name: string) => `Remove ${name}`,
  addEntry: 'Entry',
  newEntryName: 'Name of the new entry',
  newEntryValue: 'Value of the new entry',
  save: 'Save',
  entryProblems: {
    noName: 'The entry needs a name.',
    taken: 'There is an entry of this name already.',
    noJson: 'It is no JSON.',
    hasNull: 'A value cannot be or hold null here.',
  },
  savesItself: 'What is changed here is saved when you leave the field.',
  // Saved
  renamed: (name: string) => `It is called ${bold(name)} now`,
  described: (name: string) => `The description of ${bold(name)} is saved`,
  tagged: (name: string) => `The tags of ${bold(name)} are saved`,
  entrySaved: (entry: string, name: string) => `${bold(entry)} of ${bold(name)} is saved`,
  entryRemoved: (entry: string, name: string) => `${bold(entry)} of ${bold(name)} is removed`,
  // Elsewhere
  elsewhere: 'Use it elsewhere',
  duplicate: 'Duplicate',
  duplicateHelp: 'A new flag with the same rules under another key, in this namespace.',
  duplicateAction: 'Duplicate…',
  yaml: 'As YAML',
  yamlHelp: 'All of it as a text to copy.',
  yamlAction: 'Show YAML',
  // Danger
  danger: 'Danger zone',
  stop: 'Stop it for everyone',
  stopHelp:
    'Puts a rollout on top that gives everyone Off. The others stay below, untouched, until you resume.',
  stopAction: 'Stop…',
  isStopped: 'It is stopped.',
  delete: 'Delete this flag',
  deleteHelp: 'Code that asks for it afterwards gets an error, and its own default.',
  deleteAction: 'Delete…',
  deleteTitle: (name: string) => `Delete ${name} from`,
  deleteText: 'Code that still asks for it gets an error, and the default that it brings itself.',
  goesAlong: (parts: string) => `With it go ${parts}.`,
  variants: (count: number, text: string) => (count === 1 ? '1 variant' : `${text} variants`),
  rules: (count: number, text: string) => (count === 1 ? '1 rule' : `${text} rules`),
  rollouts: (count: number, text: string) => (count === 1 ? '1 rollout' : `${text} rollouts`),
  segmentsStay: 'The segments that it uses stay.',
  canUndo: 'You can undo it: the flag comes back as it was.',
  deleteFlag: 'Delete flag',
  deleted: (name: string, namespace: string) => `${bold(name)} is deleted from ${namespace}`,
}

export type FlagSettingsTexts = typeof en

export const flagSettingsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
