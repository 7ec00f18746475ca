import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: (name: string) => `New secret for ${name}`,
  lead: 'Name, namespace and rights stay. Only the secret changes.',
  overlap: 'The old secret works for another',
  overlaps: { '': 'not at all', '1h': '1 h', '24h': '24 h', '168h': '7 d', '720h': '30 d' },
  now: 'now',
  old: 'Old',
  fresh: 'New',
  picture: (until: string) => `The new secret works from now on, the old one until ${until}`,
  pictureNow: 'The new secret works from now on, and the old one no more',
  leaked: 'The old secret is refused from now on: the choice when it has leaked.',
  older: 'The secret before it, which is still accepted, is refused at once.',
  sessions: 'Browsers that are signed in with an old secret are signed out when it ends.',
  lastUsed: (when: string, address: string) =>
    address === '' ? `Last used ${when}.` : `Last used ${when} from ${address}.`,
  rotate: 'Make new secret',
}

export type RotateTexts = typeof en

export const rotateTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
