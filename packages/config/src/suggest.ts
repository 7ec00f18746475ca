import type { SettingIndex } from './setting-index.ts'

/** Names in other flag services, and ours; the longer ones first. */
const aliases = [
  ['database', 'db'],
  ['discovery_url', 'api_url'],
  ['ca_path', 'ca_file'],
  ['service_account_token_path', 'token_file'],
  ['github', 'codehost'],
  ['kubernetes', 'orchestrator'],
  ['k8s', 'orchestrator'],
  ['jwt.validate_claims', 'jwt.issuers.<name>'],
  ['jwt', 'jwt.issuers.<name>'],
] as const

/** Shorter words begin too many others. */
const minPrefix = 3

/** @returns the sentence `Did you mean …?` as a suffix, or nothing when no key or variable is near */
export function suggest(name: string, index: SettingIndex): string {
  const alias = translate(name)
  const isAlias = alias !== name && index.isKnown(alias)
  const meant = isAlias ? alias : findNearest(name, index.namesFor(name))
  return meant === undefined ? '' : ` Did you mean "${meant}"?`
}

function translate(name: string): string {
  const isVariable = name.startsWith('SVC_')
  const spell = (key: string) => (isVariable ? key.toUpperCase().replaceAll('.', '_') : key)
  const ours = new Map(aliases.map(([theirs, ours]) => [spell(theirs), spell(ours)]))
  return name.replace(RegExp([...ours.keys()].join('|'), 'g'), (word) => ours.get(word) ?? word)
}

/**
 * A known name that was probably meant: the shortest that has the same words in the same order and
 * perhaps more (`server.port` for `server.http_port`). A word also matches one that it begins.
 */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const words = wordsOf(name)
  return known
    .toSorted((a, b) => a.length - b.length)
    .find((candidate) => hasWords(wordsOf(candidate), words))
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[._-]/)
}

function hasWords(candidate: readonly string[], words: readonly string[]): boolean {
  let next = 0
  return words.every((word) => {
    next = 1 + candidate.findIndex((other, i) => i >= next && isAlike(word, other))
    return next > 0
  })
}

function isAlike(word: string, other: string): boolean {
  const [short = '', long = ''] = word.length < other.length ? [word, other] : [other, word]
  return word === other || (short.length >= minPrefix && long.startsWith(short))
}
