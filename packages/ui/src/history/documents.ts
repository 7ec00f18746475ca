/** A document of a change, which came as text; empty when there is none. */
export function readDocument(json: string | undefined): Readonly<Record<string, unknown>> {
  const value = readJson(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // An object that JSON made has only members of texts.
      (value as Record<string, unknown>)
    : {}
}

/** @returns nothing for no JSON */
export function readJson(json: string | undefined): unknown {
  if (json === undefined) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** What the object of a change is called: its name, or else its key. */
export function nameOf(item: {
  readonly key: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}): string {
  const { name } = readDocument(item.after ?? item.before)
  return typeof name === 'string' && name !== '' ? name : item.key
}

/** The same over several lines. */
export function prettyJson(json: string | undefined): string {
  const value = readJson(json)
  return value === undefined ? '' : JSON.stringify(value, undefined, 2)
}
