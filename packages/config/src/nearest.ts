/** Shorter words begin too many others. */
const minPrefix = 3

/**
 * A known name that was probably meant: the shortest that has the same words in the same order and
 * perhaps more (`server.port` for `server.http_port`). A word also matches one that it begins.
 */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  const words = wordsOf(name)
  return [...known]
    .sort((a, b) => a.length - b.length)
    .find((candidate) => hasWords(wordsOf(candidate), words))
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[._-]/)
}

function hasWords(candidate: readonly string[], words: readonly string[]): boolean {
  let next = 0
  return words.every((word) => {
    const found = candidate.findIndex((other, i) => i >= next && isAlike(word, other))
    next = found + 1
    return found >= 0
  })
}

function isAlike(word: string, other: string): boolean {
  const [short = '', long = ''] = word.length < other.length ? [word, other] : [other, word]
  return word === other || (short.length >= minPrefix && long.startsWith(short))
}
