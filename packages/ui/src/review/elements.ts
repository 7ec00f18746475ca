import { type Element, nameOf } from './documents.ts'

/** An element of a list before and after, with its places, from 0. New ones have nothing before, gone ones nothing after. */
export interface Pair<E> {
  readonly before: E | undefined
  readonly after: E | undefined
  readonly from: number
  readonly to: number
  /** Whether it has another place among those that stayed. Few are said to have. */
  readonly isMoved: boolean
}

/** The elements of two lists: those that are there, in their order; then those that are gone. */
export function pairUp<E extends Element>(
  before: readonly E[],
  after: readonly E[],
): readonly Pair<E>[] {
  const places = new Map(before.map((element, place) => [nameOf(element), place]))
  const used = new Set<number>()
  const pairs = after.map((element, to) => {
    const name = nameOf(element)
    const from = name === '' ? undefined : places.get(name)
    if (from === undefined || used.has(from))
      return { before: undefined, after: element, from: -1, to, isMoved: false }
    used.add(from)
    return { before: before[from], after: element, from, to, isMoved: false }
  })
  const stayed = pairs.filter(({ from }) => from !== -1)
  const inOrder = new Set(longestAscending(stayed.map(({ from }) => from)))
  const gone = before.flatMap((element, from) =>
    used.has(from) ? [] : [{ before: element, after: undefined, from, to: -1, isMoved: false }],
  )
  return [
    ...pairs.map((pair) => ({ ...pair, isMoved: pair.from !== -1 && !inOrder.has(pair.from) })),
    ...gone,
  ]
}

/** Where a pair is told: what is gone, where it stood. */
export function placeOf({ from, to }: Pair<unknown>): number {
  return to === -1 ? from - 0.5 : to
}

/** The longest of the subsequences that ascend. For lists of some hundred numbers, all different. */
export function longestAscending(numbers: readonly number[]): readonly number[] {
  const best: { readonly length: number; readonly previous: number }[] = []
  let end = -1
  for (const [place, number] of numbers.entries()) {
    let [length, previous] = [1, -1]
    for (const [other, { length: known }] of best.entries())
      if ((numbers[other] ?? 0) < number && known >= length) [length, previous] = [known + 1, other]
    best.push({ length, previous })
    if (length > (best[end]?.length ?? 0)) end = place
  }
  const found: number[] = []
  for (; end !== -1; end = best[end]?.previous ?? -1) found.push(numbers[end] ?? 0)
  return found.reverse()
}
