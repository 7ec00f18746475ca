import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'New namespace',
  lead: 'A namespace has flags and segments of its own, such as those of a team, an application or an environment.',
  namePlaceholder: 'Production',
  keyTaken: (key: string) => `There is a namespace ${key} already.`,
  description: 'Description',
  color: 'Colour',
  colors: {
    blue: 'Blue',
    green: 'Green',
    amber: 'Amber',
    pink: 'Pink',
    teal: 'Teal',
    red: 'Red',
    violet: 'Violet',
    olive: 'Olive',
  } as Readonly<Record<string, string>>,
  confirm: 'Ask before a change of what is served',
  confirmHelp: 'A switch in a list then says first what it does, and for whom.',
  create: 'Create namespace',
  created: (name: string) => `${bold(name)} is created`,
}

export type NewNamespaceTexts = typeof en

export const newNamespaceTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
