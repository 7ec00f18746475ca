import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Help and shortcuts',
  groups: {
    everywhere: 'Everywhere',
    goTo: 'Go to',
    lists: 'In lists',
    editing: 'While editing',
  },
  palette: 'Search or go to',
  help: 'This list',
  fold: 'Side bar: names or icons',
  search: 'Search the list',
  create: 'Create',
  close: 'Close, then clear',
  toasts: 'To the messages',
  flags: 'Flags',
  segments: 'Segments',
  console: 'Console',
  changes: 'Changes',
  audit: 'Audit log',
  tokens: 'Tokens',
  status: 'Status',
  nextRow: 'Next row',
  lastRow: 'Row before',
  open: 'Open the row',
  select: 'Select the row',
  selectRange: 'Select up to the row',
  toggle: 'Turn the switch of the row',
  save: 'Review and save',
  undo: 'Take back a step',
  redo: 'Do it again',
  move: 'Move a rule',
  evaluate: 'Evaluate, or send a form',
  lettersOn: 'Single letters are shortcuts',
  docs: 'Documentation of the API',
}

export type ShortcutsTexts = typeof en

export const shortcutsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
