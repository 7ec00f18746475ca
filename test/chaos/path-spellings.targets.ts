import type { Random } from '../support/random.ts'
import { names, queries, separators } from './path-spellings.parts.ts'

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With `outside` in it, where it acts on a namespace. */
  readonly path: string
}

/** One of every kind: inside a namespace and not, of each area and verb, and a stream. */
export const endpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/api/v1/namespaces/outside' },
  { method: 'PUT', path: '/api/v1/namespaces/outside' },
  { method: 'DELETE', path: '/api/v1/namespaces/outside' },
  { method: 'GET', path: '/api/v1/namespaces/outside/flags' },
  { method: 'POST', path: '/api/v1/namespaces/outside/flags' },
  { method: 'DELETE', path: '/api/v1/namespaces/outside/flags/secret' },
  { method: 'GET', path: '/api/v1/namespaces/outside/segments/secret' },
  { method: 'GET', path: '/api/v1/namespaces/outside/flags/secret/rules' },
  { method: 'POST', path: '/api/v1/namespaces/outside/evaluate' },
  { method: 'GET', path: '/internal/v1/evaluation/snapshot/namespace/outside' },
  { method: 'GET', path: '/ofrep/v1/namespaces/outside/events' },
  { method: 'GET', path: '/auth/v1/tokens' },
]

/** What a careless router leaves away at the end, or takes for part of the last segment. */
const endings = [
  ...['/', '//', '/.', '/..', '/./', '/../', '%2f', '%5c', '\\', ';', ';a=b', '..;/', '/..;/'],
  ...['%00', '%20', '%09', '%0a', '%0d%0aX:%20y', '.', '..', '.json', '~', '%', '%zz', '?', '#'],
  ...['?x', '#x', '%3f', '%23', '/%2e', '/%2e%2e', '/%2e%2e/outside', '/*', '/%', ':', '::$DATA'],
]

const beginnings = [
  ...[
    '/',
    '//',
    '/.',
    '/./',
    '/../',
    '/..;/',
    '/%2e/',
    '/%2f',
    '\\',
    '/\\',
    '%2f',
    '/;/',
    '/x/../',
  ],
  ...['/public/../', '/health/../', '/auth/v1/method/../../..', '/auth/v1/method/..;/..;/..'],
  ...['http://127.0.0.1', 'http://inside', 'https://x@y', '//inside', '*', '/?/', '/#/', '/%00'],
]

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

const tails = ['/flags', '/segments', '/flags/secret', '/segments/secret'].concat(
  ['/rules', '/rollouts'].map((last) => `/flags/secret${last}`),
)

/** Other paths with a namespace key. */
const otherPaths = [
  (key: string) => `/internal/v1/evaluation/snapshot/namespace${key}`,
  (key: string) => `/internal/v1/evaluation/stream/namespace${key}`,
  (key: string) => `/ofrep/v1/namespaces${key}/events`,
]

const oddPrefixes = ['/API/v1', '/api/V1', '/api/v1/Namespaces/..', '/evaluate/v1/../../api/v1']

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
    ...oddPrefixes.map((prefix) => `${prefix}/namespaces/outside${tail}`),
  ])
  const elsewhere = otherPaths.flatMap((pathOf) => [
    ...names.map((name) => pathOf(`/${name}`)),
    ...separators.map((separator) => pathOf(`${separator}outside`)),
    ...separators.map((separator) => pathOf(`/inside${separator}outside`)),
    ...['key=outside', ...queries].map((query) => `${pathOf('/inside')}?${query}`),
  ])
  return [...new Set([...below, ...names.map((name) => `${base}/${name}`), ...elsewhere])]
}
