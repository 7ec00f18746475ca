import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'New token',
  name: 'Name',
  namePlaceholder: 'checkout-service',
  nameMissing: 'It needs a name.',
  tooLong: 'That is too long.',
  description: 'What it is for',
  descriptionPlaceholder: 'Shown wherever tokens are listed',
  scope: 'Works in',
  one: 'One namespace',
  oneHelp: 'It can ask for flags there, and change them. Nothing else.',
  all: 'All namespaces',
  allHelp: 'It can also make and revoke tokens.',
  namespace: 'Namespace',
  expires: 'Expires',
  presets: {
    '7d': '7 d',
    '30d': '30 d',
    '90d': '90 d',
    '1y': '1 year',
    date: 'Date',
    never: 'Never',
  },
  on: (when: string) => `On ${when}.`,
  date: (zone: string) => `Date and time in ${zone}`,
  dateWrong: 'Choose a date and a time.',
  datePast: 'This is past. Choose a later time.',
  never: 'It never expires',
  neverHelp: 'A token that is lost or copied then works until it is revoked.',
  neverSure: 'Tick this, or choose when it expires.',
  addresses: 'Only from certain addresses',
  addressesLabel: 'Addresses and ranges',
  addressesHelp: 'Such as 10.20.0.0/16. Empty: from everywhere.',
  addressesMany: 'At most 64.',
  create: 'Create token',
}

export type CreateTokenTexts = typeof en

export const createTokenTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
