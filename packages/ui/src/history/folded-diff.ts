import { type DiffLine, diffLines } from '../components/line-diff.ts'

/** Lines of a difference, and how many of them were left out. */
export interface FoldedDiff {
  readonly lines: readonly DiffLine[]
  /** Lines beyond the bound. */
  readonly cut: number
}

/** Same lines that are kept around what differs. */
const context = 3
/** Lines that are shown at most. */
const maxLines = 1000

/**
 * What differs between two texts, with a few lines around it.
 *
 * @param tellFold the line that stands for so many same ones
 */
export function foldedDiff(
  before: string,
  after: string,
  tellFold: (count: number) => string,
): FoldedDiff {
  const all = linesOf(before, after)
  const isNear = new Uint8Array(all.length)
  for (const [place, { kind }] of all.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, place - context), place + context + 1)
  }
  const lines: DiffLine[] = []
  let folded = 0
  const fold = () => {
    if (folded > 0) lines.push({ kind: 'same', text: `⋯ ${tellFold(folded)}` })
    folded = 0
  }
  for (const [place, line] of all.entries()) {
    if (isNear[place] === 1) {
      fold()
      lines.push(line)
    } else folded++
  }
  fold()
  return { lines: lines.slice(0, maxLines), cut: Math.max(0, lines.length - maxLines) }
}

/** Where there is no text there is no line either, not an empty one. */
function linesOf(before: string, after: string): readonly DiffLine[] {
  const whole = (kind: 'added' | 'removed', text: string) =>
    text === '' ? [] : text.split('\n').map((line) => ({ kind, text: line }))
  if (before === '') return whole('added', after)
  return after === '' ? whole('removed', before) : diffLines(before, after)
}
