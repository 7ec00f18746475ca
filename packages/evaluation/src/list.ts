/**
 * Reads a JSON array whose elements all satisfy `isElement`, as a set.
 * `null` counts as the empty array, and as an element it counts as `zero`.
 */
export function parseList<T>(
  text: string,
  zero: T,
  isElement: (element: unknown) => element is T,
): Set<T> | undefined {
  const list = parseJson(text)
  if (list === null) return new Set()
  if (!Array.isArray(list)) return undefined
  const elements = new Set<T>()
  for (const element of list as unknown[]) {
    const value = element ?? zero
    if (!isElement(value)) return undefined
    elements.add(value)
  }
  return elements
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
