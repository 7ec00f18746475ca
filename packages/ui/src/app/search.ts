/** `?q=a&tag=x&tag=y&new` becomes `{ q: 'a', tag: ['x', 'y'], new: '' }`. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const search: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const known = Object.hasOwn(search, name) ? search[name] : undefined
    search[name] = known === undefined ? value : [known, value].flat()
  }
  return search
}

/**
 * The other way. `true`, the empty text and an empty list have a name alone; `undefined` and `false` are left
 * out.
 */
export function stringifySearch(search: Record<string, unknown>): string {
  const parts: string[] = []
  for (const [name, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) && value.length === 0 ? [''] : [value].flat()) {
      if (item === undefined || item === null || item === false) continue
      const text = item === true ? '' : String(item)
      // As URLSearchParams writes it, but a comma, a colon and a slash can be read.
      const encoded = encodeURIComponent(text).replace(/%(?:2C|3A|2F)/g, decodeURIComponent)
      parts.push(text === '' ? encodeURIComponent(name) : `${encodeURIComponent(name)}=${encoded}`)
    }
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** A text that is there and not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Texts of the same name. */
export function readTexts(value: unknown): readonly string[] | undefined {
  const texts = [value].flat().filter((one): one is string => typeof one === 'string' && one !== '')
  return texts.length === 0 ? undefined : texts
}

/** A whole number from 1. */
export function readNumber(value: unknown): number | undefined {
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined
}

/** One of some words. */
export function readWord<Word extends string>(
  value: unknown,
  words: readonly Word[],
): Word | undefined {
  return words.find((word) => word === value)
}

/** A name alone, such as `?new`. */
export function readMark(value: unknown): true | undefined {
  return value === '' || value === true ? true : undefined
}

/** Without the members that are not set. */
export function compact<T extends object>(
  search: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined)
  // What is left out is optional in the result.
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}

/**
 * What a page is told of its URL: what it reads of it, and nothing else. The router adds to what a page reads all
 * the rest of the URL, also what was refused. Not for a page with pages within, which would not see their part.
 */
export function only<T extends object>(
  read: (search: Record<string, unknown>) => T,
): (search: Record<string, unknown>) => T {
  return (search) => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    return { ...nothing, ...read(search) }
  }
}

/** Whether one of the names is set. */
export function isAnySet(search: object, names: readonly string[]): boolean {
  return Object.entries(search).some(([name, value]) => value !== undefined && names.includes(name))
}
