interface Bounds<T> {
  /** Maximum of a portion, unless one item alone is larger. */
  readonly maxBytes: number
  readonly maxItems?: number
  bytesOf(item: T): number
}

/** A list in portions, each as large as its bounds allow: so much is in memory at once. */
export function* inPortions<T>(
  items: Iterable<T>,
  { maxBytes, maxItems = Number.POSITIVE_INFINITY, bytesOf }: Bounds<T>,
): Generator<readonly T[], void> {
  let portion: T[] = []
  let bytes = 0
  for (const item of items) {
    const more = bytesOf(item)
    if (portion.length > 0 && (portion.length === maxItems || bytes + more > maxBytes)) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(item)
    bytes += more
  }
  if (portion.length > 0) yield portion
}
