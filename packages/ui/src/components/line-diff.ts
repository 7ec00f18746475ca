export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** The lines of two texts, side by side: the longest common ones stay. For texts of some hundred lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  )
    end++
  const [a, b] = [old.slice(start, old.length - end), next.slice(start, next.length - end)]
  const same = (texts: readonly string[]): DiffLine[] =>
    texts.map((text) => ({ kind: 'same', text }))
  return [...same(old.slice(0, start)), ...middle(a, b), ...same(end === 0 ? [] : old.slice(-end))]
}

/** Above this many pairs the middle is shown as removed and added as a whole. */
const maxPairs = 4_000_000

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text = ''): DiffLine => ({ kind: 'removed', text })
  const added = (text = ''): DiffLine => ({ kind: 'added', text })
  if (a.length * b.length > maxPairs) return [...a.map(removed), ...b.map(added)]
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' })
      i++
      j++
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push(removed(a[i++]))
    else lines.push(added(b[j++]))
  }
  return lines
}
