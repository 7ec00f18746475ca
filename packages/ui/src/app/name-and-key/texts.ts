import { defineTexts } from '../../text/texts.ts'

const en = {
  name: 'Name',
  nameMissing: 'It needs a name.',
  key: 'Key',
  keyHelp: 'It cannot be changed later.',
  keyFree: 'Free. It cannot be changed later.',
  keyMissing: 'It needs a key.',
  keyWrong: 'Letters, digits and - _ , only.',
  tooLong: 'At most 255 characters.',
  checking: 'Looking whether it is free',
}

export type NameAndKeyTexts = typeof en

export const nameAndKeyTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
