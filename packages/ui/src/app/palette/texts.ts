import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Search or go to',
  placeholder: 'Flags, segments, pages, actions',
  inNamespace: (name: string) => `In ${name}`,
  flags: 'Flags',
  segments: 'Segments',
  elsewhere: 'In other namespaces',
  flagIn: (flag: string, namespace: string) => `${flag} in ${namespace}`,
  actionsOn: (name: string) => `Actions on ${name}`,
  actions: 'Actions',
  goTo: 'Go to',
  namespaces: 'Namespaces',
  ask: 'Ask the console why',
  copyCurl: 'Copy as curl',
  copied: 'Copied curl',
  openHistory: 'History',
  createFlag: 'Create a flag',
  createNamed: (name: string) => `Create flag “${name}”`,
  createSegment: 'Create a segment',
  newNamespace: 'Create a namespace',
  searchAll: (text: string) => `All flags with “${text}”`,
  theme: (name: string) => `Theme: ${name}`,
  density: (name: string) => `Rows: ${name}`,
  shortcuts: 'Help and shortcuts',
  signOut: 'Sign out',
  nothing: 'Nothing found',
  choose: 'choose',
  open: 'open',
  openConsole: 'open in console',
  onlyActions: 'only actions',
  results: (count: number, text: string) => (count === 1 ? '1 result' : `${text} results`),
  on: 'On',
  off: 'Off',
  enabled: 'Enabled',
  disabled: 'Disabled',
}

export type PaletteTexts = typeof en

export const paletteTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
