import { readFileSync } from 'node:fs'
import { byUrl, keySet, openJwt, startKeyServer } from './jwt.test.support.ts'
import { everyAlgorithm } from './signing.test.support.ts'

/** A token; a run of equal text is written as the text and how often it comes. */
type Packed = string | readonly (string | readonly [text: string, times: number])[]

/** A file of `test/fixtures/jwt`: tokens by what is special about them. */
interface CaseFile {
  readonly key: object
  readonly accepted: Readonly<Record<string, Packed>>
  readonly refused: Readonly<Record<string, Packed>>
}

export interface Vector {
  readonly name: string
  readonly token: string
  readonly expected: 'accepted' | 'unauthenticated'
}

/** Every token that was frozen, by the algorithm of its key. */
export const vectors = everyAlgorithm.map((algorithm) => {
  const url = new URL(`../../../../../test/fixtures/jwt/${algorithm}.cases.json`, import.meta.url)
  const { key, accepted, refused } = JSON.parse(readFileSync(url, 'utf8')) as CaseFile
  const toVectors = (cases: CaseFile['accepted'], expected: Vector['expected']) =>
    Object.entries(cases).map(([name, token]): Vector => ({ name, token: unpack(token), expected }))
  const list = [...toVectors(accepted, 'accepted'), ...toVectors(refused, 'unauthenticated')]
  return { algorithm, key, vectors: list }
})

function unpack(token: Packed): string {
  if (typeof token === 'string') return token
  return token.map((part) => (typeof part === 'string' ? part : part[0].repeat(part[1]))).join('')
}

/** Accepts the tokens of all files, with the keys that an issuer publishes. */
export async function openVectors(t: Parameters<typeof startKeyServer>[0]) {
  const server = await startKeyServer(t, keySet(...vectors.map(({ key }) => key)))
  const jwt = await openJwt(t, {
    ci: { ...byUrl(server), algorithms: everyAlgorithm.join(' ') },
  })
  return { server, jwt }
}
