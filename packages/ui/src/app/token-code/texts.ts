import { defineTexts } from '../../text/texts.ts'

const en = {
  useWith: 'Use it with',
  ways: { node: 'Node.js', openfeature: 'OpenFeature', terminal: 'Terminal', curl: 'curl' },
  ready: (name: string) => `${name} is ready`,
  rotated: (name: string) => `${name} has a new secret`,
  waiting: 'Waiting for its first request. A minute or two after it, this line says so.',
  used: (address: string) =>
    address === '' ? 'Its first request has come.' : `Its first request has come, from ${address}.`,
}

export type TokenCodeTexts = typeof en

export const tokenCodeTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
