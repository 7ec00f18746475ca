/** What is known of an entity. A key that is absent counts as one with an empty text. */
export type Context = Readonly<Record<string, string>>

/** `constructor` is a name like any other: what objects inherit under such names is no text. */
export function readContext(context: Context, property: string): string {
  const value: unknown = context[property]
  return typeof value === 'string' ? value : ''
}

/**
 * Makes a context of values of any JSON type: numbers, booleans, objects and arrays become their
 * JSON text, `null` is left out. A record of texts is returned as it is.
 *
 * @throws {TypeError} when a value has no JSON text because it refers to itself
 */
export function toContext(values: Readonly<Record<string, unknown>>): Context {
  if (isContext(values)) return values
  const context: Record<string, string> = Object.create(null)
  for (const [property, value] of Object.entries(values)) {
    if (value === null) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text !== undefined) context[property] = text
  }
  return context
}

function isContext(values: Readonly<Record<string, unknown>>): values is Context {
  return Object.values(values).every((value) => typeof value === 'string')
}
