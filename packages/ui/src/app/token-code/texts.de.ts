import type { TokenCodeTexts } from './texts.ts'

export const de: TokenCodeTexts = {
  useWith: 'Benutzen mit',
  ways: { node: 'Node.js', openfeature: 'OpenFeature', terminal: 'Terminal', curl: 'curl' },
  ready: (name) => `${name} ist bereit`,
  rotated: (name) => `${name} hat ein neues Geheimnis`,
  waiting: 'Wartet auf die erste Anfrage. Ein bis zwei Minuten danach steht es hier.',
  used: (address) =>
    address === '' ? 'Die erste Anfrage ist da.' : `Die erste Anfrage ist da, von ${address}.`,
}
