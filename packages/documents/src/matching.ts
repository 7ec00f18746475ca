import { toJson } from './canonical.ts'
import type { Shape } from './shapes.ts'

/** For each element of a list, where it was in the list before; nothing for one that is new. */
export type Matches = readonly (number | undefined)[]

type Indexed = readonly [index: number, element: object]

/**
 * Which elements of two lists are the same. Those with the same id are; then those that are equal but
 * for ids; then, where one of the two has no id, those with the same name, such as rules for the same
 * segments, and last those in the same order. A variant with another key is another one.
 */
export function matchElements(
  shape: Shape,
  before: readonly object[],
  after: readonly object[],
): Matches {
  const matches: (number | undefined)[] = after.map(() => undefined)
  const left = new Map<number, object>(before.entries())
  const isNew = ([index]: Indexed) => matches[index] === undefined

  /** Gives each of `later` the first of `earlier` with the same text. */
  const pair = (
    textOf: (element: object) => string,
    earlier: readonly Indexed[],
    later: readonly Indexed[],
  ): void => {
    const byText = groupByText(earlier.toReversed(), textOf)
    for (const [index, element] of later) {
      const found = byText.get(textOf(element))?.pop()
      if (found === undefined) continue
      matches[index] = found[0]
      left.delete(found[0])
    }
  }
  const rest = () => [[...left], [...after.entries()].filter(isNew)] as const

  pair(idOf, [...before.entries()].filter(hasId), [...after.entries()].filter(hasId))
  pair((element) => contentOf(shape, element), ...rest())
  const byName = (element: object) => JSON.stringify(shape.nameOf?.(element))
  const inOrder = () => ''
  for (const textOf of 'key' in shape.members ? [byName] : [byName, inOrder]) {
    const [earlier, later] = rest()
    pair(textOf, earlier, later.filter(hasNoId))
    const [stillEarlier, stillLater] = rest()
    pair(textOf, stillEarlier.filter(hasNoId), stillLater)
  }
  return matches
}

/** By hand: the command line also runs on Node.js 20, which has no Map.groupBy. */
function groupByText(
  elements: readonly Indexed[],
  textOf: (element: object) => string,
): Map<string, Indexed[]> {
  const groups = new Map<string, Indexed[]>()
  for (const one of elements) {
    const text = textOf(one[1])
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [one])
    else group.push(one)
  }
  return groups
}

/** The id of an element; empty when it has none. */
export function idOf(element: object): string {
  return String(Reflect.get(element, 'id') ?? '')
}

function hasId([, element]: Indexed): boolean {
  return idOf(element) !== ''
}

function hasNoId([, element]: Indexed): boolean {
  return idOf(element) === ''
}

/** The text of an element without its id and those of what is in it. */
function contentOf(shape: Shape, element: object): string {
  return JSON.stringify(toJson(shape, element), (name, value: unknown) =>
    name === 'id' ? undefined : value,
  )
}

/**
 * Which elements were moved: few, so that all others are in their order of before. None of them has the
 * index that it had.
 *
 * @returns their indices in the list as it is now
 */
export function findMoved(matches: Matches): ReadonlySet<number> {
  const kept = [...matches.entries()].flatMap(([index, was]) =>
    was === undefined ? [] : [{ index, was }],
  )
  // Those with the index that they had are in order, and stay; so does only what is in order with them.
  const fixed = kept.filter(({ index, was }) => index === was)
  const fixedBelow = (place: number) => lowerBound(fixed, ({ index }) => index < place)
  const inOrder = kept.filter(({ index, was }) => fixedBelow(index) === fixedBelow(was))
  const moved = new Set(kept.map(({ index }) => index))
  for (const { index } of longestAscending(inOrder, ({ was }) => was)) moved.delete(index)
  return moved
}

/** The longest subsequence of items whose numbers, all different, ascend. */
function longestAscending<T>(items: readonly T[], numberOf: (item: T) => number): T[] {
  interface End {
    readonly item: T
    readonly previous: End | undefined
  }
  /** For each length, the end of the subsequence that ends lowest. */
  const ends: End[] = []
  for (const item of items) {
    const length = lowerBound(ends, (end) => numberOf(end.item) < numberOf(item))
    ends[length] = { item, previous: ends[length - 1] }
  }
  const found: T[] = []
  for (let end = ends.at(-1); end !== undefined; end = end.previous) found.push(end.item)
  return found
}

/** How many items at the start of a list, ordered by that, are below. */
function lowerBound<T>(items: readonly T[], isBelow: (item: T) => boolean): number {
  let low = 0
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && isBelow(item)) low = middle + 1
    else high = middle
  }
  return low
}
