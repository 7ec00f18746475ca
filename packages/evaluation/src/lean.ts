const nothing: readonly never[] = Object.freeze([])

/**
 * A copy for keeping: exactly as long as it must be, where one that was filled by pushes has room to
 * spare; the same object for every empty one; and frozen, for some of these end up in answers.
 */
export function lean<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? nothing : Object.freeze(items.slice())
}
