import { distance } from 'fastest-levenshtein'

/** Longer names are nothing that was mistyped. */
const maxLength = 64

/**
 * The name that was probably meant: one that differs in case or punctuation only, else the one with the
 * fewest edits, two or a third of its length at most.
 */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const plain = toPlain(name)
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(plain, toPlain(candidate)) }))
    .filter(({ edits }) => edits < plain.length && edits <= Math.max(2, plain.length / 3))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.candidate
}

function toPlain(name: string): string {
  return name
    .slice(0, maxLength)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
