/**
 * What was probably meant: the shortest name that has the same words and perhaps more, give or
 * take a typing error (`server.port` for `server.http_port`), else one that differs by few letters.
 */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  const names = [...known].sort((a, b) => a.length - b.length)
  const words = wordsOf(name)
  return (
    names.find((candidate) => hasWords(candidate, words, 0)) ??
    names.find((candidate) => hasWords(candidate, words, 1)) ??
    names.find((candidate) => isNear(name, candidate, 3))
  )
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[._-]/)
}

function hasWords(candidate: string, words: readonly string[], maxErrors: number): boolean {
  const rest = wordsOf(candidate)
  return words.every((word) => {
    const found = rest.findIndex((other) => isNear(word, other, maxErrors))
    rest.splice(0, found + 1)
    return found >= 0
  })
}

/** At most one error in three letters: with more, short names would resemble each other. */
function isNear(name: string, other: string, maxErrors: number): boolean {
  const allowed = Math.min(maxErrors, Math.floor(name.length / 3))
  return typingErrors(name, other) <= allowed
}

/** Letters added, left out, replaced or swapped with their neighbour (optimal string alignment). */
function typingErrors(from: string, to: string): number {
  let before: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(previous, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? at(before, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, swapped, at(previous, j) + 1, at(row, j - 1) + 1))
    }
    before = previous
    previous = row
  }
  return at(previous, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
