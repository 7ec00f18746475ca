import { bold } from '../../../text/rich.tsx'
import { defineTexts } from '../../../text/texts.ts'

const en = {
  titleIn: 'New flag in',
  need: 'What does your code need?',
  yesNo: 'Yes or no',
  yesNoText: 'Switch something on for some, then for all.',
  boolean: 'boolean',
  several: 'One of several',
  severalText: 'An experiment, or a value that changes without a release.',
  variant: 'variant',
  namePlaceholder: 'Express delivery',
  keyTaken: (key: string) => `There is a flag ${key} already.`,
  variants: 'Variants',
  variantsHelp: 'The first one is the default: everyone gets it at first.',
  variantsPlaceholder: 'control, new',
  variantsMissing: 'It needs at least two variants.',
  description: 'Description',
  descriptionPlaceholder: 'What changes for people when it is on',
  tags: 'Tags',
  tagsPlaceholder: 'Add a tag',
  code: 'How your code will ask for it',
  codeComment: '// how your code will ask for it',
  startsOff: 'It starts Off for everyone.',
  startsWith: (variant: string) => `Everyone gets ${variant} at first.`,
  create: 'Create flag',
  created: (name: string, namespace: string) => `${bold(name)} is created in ${namespace}`,
}

export type NewFlagTexts = typeof en

export const newFlagTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
