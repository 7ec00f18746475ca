import { stateEn } from '../../review/state-texts.ts'
import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  flags: 'Flags',
  tabs: 'Parts of the flag',
  targeting: 'Targeting',
  variants: 'Variants',
  history: 'History',
  settings: 'Settings',
  draft: 'Has changes that are not saved',
  boolean: 'boolean',
  variant: 'variant',
  keptBy: (manager: string) =>
    `${bold(manager)} keeps this flag. What is changed here holds until it applies its files again.`,
  goneWithDraft: (name: string) =>
    `${name} was deleted by others. Your draft is kept: when you save it, you can bring the flag back.`,
  // State
  ...stateEn,
  changed: 'Changed',
  // The switch
  switchOn: (name: string) => `${name}: everyone else gets On`,
  switchOff: (name: string) => `${name}: everyone else gets Off`,
  switchEnabled: (name: string) => `${name}: enabled`,
  switchDisabled: (name: string) => `${name}: disabled`,
  stop: 'Stop',
  stoppedIn: (name: string, namespace: string) =>
    `${bold(name)} is stopped in ${namespace}: everyone gets Off`,
  resumedIn: (name: string, namespace: string) =>
    `${bold(name)} is stopped in ${namespace} no more: its rollouts answer again`,
  notChanged: (name: string, reason: string) => `${bold(name)} was not changed: ${reason}`,
  refused: (reason: string) => `The service refuses your changes: ${reason}`,
  // Asking first
  turnOnIn: (name: string) => `Turn on ${name} in`,
  turnOffIn: (name: string) => `Turn off ${name} in`,
  enableIn: (name: string) => `Enable ${name} in`,
  disableIn: (name: string) => `Disable ${name} in`,
  stopIn: (name: string) => `Stop ${name} in`,
  resumeIn: (name: string) => `Resume ${name} in`,
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  enable: 'Enable',
  disable: 'Disable',
  resume: 'Resume',
  nowIs: 'Now',
  thenIs: 'Then',
  rulesAsked: 'its rules are asked',
  rolloutsGoOn: 'its rollouts answer again',
  rulesKeep: 'Rollouts that give On go on to do so.',
  notAsked: 'Its rules are not asked any more.',
  otherDefault: 'Change the default, too',
  otherDefaultHelp: 'That makes a draft of both, which you save as one change.',
  canUndo: 'You can undo it.',
  // Description and tags
  description: 'Description',
  addDescription: 'Description',
  editDescription: 'Edit the description',
  described: (name: string) => `The description of ${bold(name)} is changed`,
  save: 'Save',
  tags: 'Tags',
  addTag: 'Tag',
  editTags: 'Edit the tags',
  tagsPlaceholder: 'Add a tag',
  tagged: (name: string) => `The tags of ${bold(name)} are changed`,
  changedMeanwhile: (who: string | undefined, text: string) =>
    `${who ?? 'Others'} changed it meanwhile. It is now: “${text}”. What you typed is kept.`,
  saveMine: 'Save mine',
  takeTheirs: 'Take theirs',
  tagsKept: (reason: string) =>
    `The tags are not saved: ${reason}. What you chose is there when you edit them again.`,
  ownedBy: (name: string) => `Owned by ${name}`,
  // Menu
  copyKey: 'Copy the key',
  copyCurl: 'Copy as curl',
  copySvc: (isOn: boolean) => `Copy as \`svc flags ${isOn ? 'off' : 'on'}\``,
  copyOfrep: 'Copy as curl for OFREP',
  copied: (what: string) => `Copied ${what}`,
  ask: 'Ask the console why',
  stopAll: 'Stop: everyone gets Off',
  isStoppedNow: 'It is stopped.',
  copyToNamespace: 'Copy to a namespace…',
  duplicate: 'Duplicate…',
  delete: 'Delete…',
  // Duplicate
  duplicateIn: (name: string) => `Duplicate ${name} in`,
  duplicateText: 'The copy has the same rules, and is not asked for by any code yet.',
  duplicateAction: 'Create the copy',
  copyName: (name: string) => `${name} (copy)`,
  keyTaken: (key: string) => `There is a flag ${key} already.`,
  created: (name: string, namespace: string) => `${bold(name)} is created in ${namespace}`,
}

export type FlagTexts = typeof en

export const flagTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
