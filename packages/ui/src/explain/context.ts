/** What is known of an entity, as it was typed: any JSON by property. */
export type AskedContext = Readonly<Record<string, unknown>>

/** A property as it is typed; its value is a text, as constraints compare it. */
export interface ContextRow {
  readonly property: string
  readonly value: string
}

/** @returns nothing when the text is no JSON object; an empty one has no properties */
export function readContext(text: string): AskedContext | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as AskedContext) : undefined
  } catch {
    return undefined
  }
}

/** @returns nothing when a value has parts of its own, which rows do not show */
export function rowsOf(context: AskedContext): readonly ContextRow[] | undefined {
  const entries = Object.entries(context)
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return undefined
  // `null` counts as absent.
  return entries
    .filter(([, value]) => value !== null)
    .map(([property, value]) => ({ property, value: String(value) }))
}

/** The rows as JSON. Of a property that comes twice the last one counts; one without a name does not. */
export function writeRows(rows: readonly ContextRow[]): string {
  const named = rows.filter(({ property }) => property !== '')
  return writeContext(Object.fromEntries(named.map(({ property, value }) => [property, value])))
}

/** Empty when nothing is known. */
export function writeContext(context: AskedContext): string {
  return Object.keys(context).length === 0 ? '' : JSON.stringify(context)
}

/** The context with one property more, which is still empty; the one that it is otherwise. */
export function addProperty(text: string, property: string): string {
  const context = readContext(text)
  if (context === undefined || Object.hasOwn(context, property)) return text
  return writeContext({ ...context, [property]: '' })
}
