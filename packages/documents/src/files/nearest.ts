/**
 * The name that was probably meant: one that differs in case or punctuation only, else the one with the
 * fewest edits, two or a third of its length at most.
 */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const plain = toPlain(name)
  const [best] = known
    .map((candidate) => ({ candidate, edits: countEdits(plain, toPlain(candidate)) }))
    .filter(({ edits }) => edits <= Math.max(2, plain.length / 3))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.candidate
}

/** Longer names are nothing that was mistyped. */
const maxLength = 64

function toPlain(name: string): string {
  return name
    .slice(0, maxLength)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** Levenshtein distance: insertions, deletions and replacements. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
