import { readFixture } from '../support/fixtures.ts'
import type { Random } from '../support/random.ts'

type Part = 'separators' | 'names' | 'queries' | 'endings' | 'beginnings' | 'tails' | 'prefixes'

/** Bytes, one character each. */
const { separators, names, queries, endings, beginnings, tails, prefixes, ...targets } =
  readFixture<Record<Part | 'endpoints' | 'others', readonly string[]>>('path-spellings')

export interface Endpoint {
  readonly method: string
  /** With `outside` in it, where it acts on a namespace. */
  readonly path: string
}

export const endpoints = targets.endpoints.map((line): Endpoint => {
  const [method = '', path = ''] = line.split(' ')
  return { method, path }
})

/**
 * @param count how many, all of them different
 * @returns targets that a careless router might take for the endpoint's
 */
export function spellingsOf({ path }: Endpoint, count: number, random: Random): string[] {
  const all = new Set<string>()
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const replaceAt = (index: number, text: string) =>
    path.slice(0, index) + text + path.slice(index + 1)

  for (const name of names) all.add(path.replace('outside', name))
  for (const beginning of beginnings) all.add(beginning + path)
  for (const ending of endings) all.add(path + ending)
  const withoutNamespace = path.replace('/namespaces/outside', '')
  for (const query of queries) {
    all.add(`${path}?${query}`).add(`${path.replace('outside', 'inside')}?${query}`)
    all.add(`${withoutNamespace}?${query}`)
  }
  for (const separator of separators) all.add(path.replace('outside', `inside${separator}outside`))
  for (const [index, letter] of [...path].entries()) {
    const code = letter.charCodeAt(0).toString(16)
    if (letter === '/') {
      for (const separator of separators) all.add(replaceAt(index, separator))
    } else {
      all.add(replaceAt(index, letter.toUpperCase()))
      all.add(replaceAt(index, `%${code}`)).add(replaceAt(index, `%25${code}`))
      // The same letter in a form of double width.
      all.add(replaceAt(index, bytes(String.fromCharCode(letter.charCodeAt(0) + 0xfee0))))
    }
  }
  while (all.size < count) {
    const slashes = [...path.matchAll(/\//g)].map(({ index }) => index)
    const spelled = replaceAt(random.pick(slashes), random.pick(separators))
    all.add(spelled.replace('outside', () => random.pick(names)) + random.pick(['', ...endings]))
  }
  return shuffle([...all], random).slice(0, count)
}

/** So that no kind of spelling is left out where there are more than are wanted. */
function shuffle(all: readonly string[], random: Random): string[] {
  const order = all.map((spelling) => ({ spelling, place: random.below(2 ** 24) }))
  return order.toSorted((a, b) => a.place - b.place).map(({ spelling }) => spelling)
}

/** @returns every spelling of a path below the namespace `outside` */
export function combinations(): string[] {
  const base = '/api/v1/namespaces'
  const below = tails.flatMap((tail) => [
    ...separators.flatMap((separator) => [
      `${base}${separator}outside${tail}`,
      `${base}/outside${separator}${tail.slice(1)}`,
      `/api/v1${separator}namespaces/outside${tail}`,
      `${base}/inside${separator}outside${tail}`,
    ]),
    ...names.map((name) => `${base}/${name}${tail}`),
    ...queries.flatMap((query) => [`/api/v1${tail}?${query}`, `${base}/inside${tail}?${query}`]),
    ...prefixes.map((prefix) => `${prefix}/namespaces/outside${tail}`),
  ])
  const elsewhere = targets.others.flatMap((path) => [
    ...names.map((name) => path.replace('*', `/${name}`)),
    ...separators.map((separator) => path.replace('*', `${separator}outside`)),
    ...separators.map((separator) => path.replace('*', `/inside${separator}outside`)),
    ...['key=outside', ...queries].map((query) => `${path.replace('*', '/inside')}?${query}`),
  ])
  return [...new Set([...below, ...names.map((name) => `${base}/${name}`), ...elsewhere])]
}
