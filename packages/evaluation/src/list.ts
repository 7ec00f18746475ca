import type { Predicate } from './predicate.ts'

/** The type of a list's elements. */
export interface ElementType<T> {
  /** What `null` counts as. */
  readonly zero: T
  readonly isElement: (element: unknown) => element is T
  /** @returns `undefined` for a value that satisfies neither operator */
  readonly read: (value: string) => T | undefined
}

/** @returns `undefined` for other operators, and for anything but a JSON array of such elements */
export function listPredicate<T>(
  operator: string,
  operand: string,
  { zero, isElement, read }: ElementType<T>,
): Predicate | undefined {
  if (operator !== 'isoneof' && operator !== 'isnotoneof') return undefined
  const elements = parseList(operand)?.map((element) => element ?? zero)
  if (!elements?.every(isElement)) return undefined
  const list = new Set(elements)
  const isWanted = operator === 'isoneof'
  return (value) => {
    const element = read(value)
    return element !== undefined && list.has(element) === isWanted
  }
}

/** `null` counts as the empty list. */
function parseList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text) ?? []
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}
