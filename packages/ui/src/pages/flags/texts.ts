import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Flags',
  newFlag: 'New flag',
  search: 'Search flags',
  searchHint: 'Name, key or description',
  view: 'View',
  viewHint: 'View: sort and density',
  // Columns
  selectAll: 'Select all',
  select: (name: string) => `Select ${name}`,
  state: 'State',
  flag: 'Flag',
  serves: 'Serves',
  tags: 'Tags',
  changed: 'Changed',
  more: 'More',
  draft: 'Has changes that are not saved',
  // Filters
  type: 'Type',
  tag: 'Tag',
  tagSearch: 'Find a tag',
  segment: 'Segment',
  types: { boolean: 'boolean', variant: 'variant' },
  states: { on: 'on or enabled', off: 'off or disabled' },
  sort: 'Order',
  sorts: {
    '-updatedAt': 'Changed last',
    updatedAt: 'Changed first',
    name: 'Name',
    '-name': 'Name, from Z',
    key: 'Key',
    '-createdAt': 'Newest',
    createdAt: 'Oldest',
  },
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
  pageSize: 'On a page',
  // What it serves
  onForEveryone: 'On for everyone',
  offForEveryone: 'Off for everyone',
  onFor: (share: string) => `On for ${share}`,
  rollouts: (count: number, text: string, isOn: boolean) =>
    `${count === 1 ? '1 rollout' : `${text} rollouts`}, else ${isOn ? 'On' : 'Off'}`,
  rules: (count: number, text: string, other: string | undefined) =>
    `${count === 1 ? '1 rule' : `${text} rules`}, else ${other ?? 'the code’s default'}`,
  everyoneGets: (variant: string) => `Everyone gets ${variant}`,
  everyoneGetsNothing: 'Everyone gets the code’s default',
  disabledGets: (variant: string) => `Disabled: everyone gets ${variant}`,
  disabled: 'Disabled: everyone gets the code’s default',
  // The switch
  switchOn: (name: string) => `${name}: everyone else gets On`,
  switchOff: (name: string) => `${name}: everyone else gets Off`,
  switchEnabled: (name: string) => `${name}: enabled`,
  switchDisabled: (name: string) => `${name}: disabled`,
  stop: 'Stop',
  stopped: (name: string, namespace: string) =>
    `${bold(name)} is stopped in ${namespace}: everyone gets Off`,
  notSwitched: (name: string, reason: string) => `${bold(name)} was not changed: ${reason}`,
  // Confirm
  turnOnIn: (name: string) => `Turn on ${name} in`,
  turnOffIn: (name: string) => `Turn off ${name} in`,
  enableIn: (name: string) => `Enable ${name} in`,
  disableIn: (name: string) => `Disable ${name} in`,
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  enable: 'Enable',
  disable: 'Disable',
  nowIs: 'Now',
  thenIs: 'Then',
  else: (isOn: boolean) => `everyone else gets ${isOn ? 'On' : 'Off'}`,
  evaluated: 'its rules are asked',
  rulesKeep: 'Rollouts that give On go on to do so.',
  canUndo: 'You can undo it.',
  // Rows
  open: 'Open',
  ask: 'Ask the console why',
  copyKey: 'Copy the key',
  copyCurl: 'Copy as curl',
  copied: (what: string) => `Copied ${what}`,
  history: 'History',
  delete: 'Delete…',
  // Bulk
  selected: (count: number, text: string) => (count === 1 ? '1 selected' : `${text} selected`),
  bulk: 'Selected flags',
  bulkTag: 'Add a tag',
  clearSelection: 'Select none',
  changedSome: (count: number, text: string, namespace: string) =>
    `${count === 1 ? '1 flag' : `${text} flags`} changed in ${namespace}`,
  nothingToDo: 'They are like that already.',
  deletedSome: (count: number, text: string, namespace: string) =>
    `${count === 1 ? '1 flag' : `${text} flags`} deleted in ${namespace}`,
  deleteTitle: (count: number, text: string) =>
    count === 1 ? 'Delete this flag?' : `Delete these ${text} flags?`,
  deleteText:
    'Code that still asks for it gets an error, and the default in the code. You can undo it.',
  deleteAction: 'Delete',
  changeSomeIn: (count: number, text: string) =>
    `Change ${count === 1 ? '1 flag' : `${text} flags`} in`,
  // News, states
  news: (count: number, text: string) =>
    count === 1 ? '1 flag was changed by others' : `${text} flags were changed by others`,
  show: 'Show',
  emptyTitle: (namespace: string) => `No flags in ${namespace} yet`,
  emptyText:
    'A flag is a named switch that your code asks about. You decide here who gets which answer, without a release.',
  createFirst: 'Create the first flag',
  firstSteps: 'First steps',
  noMatch: (query: string) => `No flag matches “${query}”`,
  noMatchFilters: 'No flag matches these filters',
  noMatchText: 'Names, keys and descriptions are searched.',
  withoutFilters: (count: number, text: string) =>
    count === 1 ? 'There is one without the filters: ' : `Without the filters there are ${text}: `,
  elsewhere: (namespace: string, count: number, text: string) =>
    count === 1 ? `In ${namespace} there is 1. ` : `In ${namespace} there are ${text}. `,
  clearFilters: 'Clear filters',
  createIt: (name: string) => `Create “${name}”`,
}

export type FlagsTexts = typeof en

export const flagsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
