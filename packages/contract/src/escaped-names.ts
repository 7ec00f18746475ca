const strings = /"((?:[^"\\]|\\.)*)"([ \n\r\t]*:)?/gs

/**
 * Parses JSON whose names may have escapes, of which V8 misreads some after certain objects
 * (nodejs/node#63785). It is given numbers in their place; strings that are no names it reads well.
 *
 * @returns the value, and its names as often as they are written
 * @throws {SyntaxError}
 */
export function parseEscapedNames(text: string): { value: unknown; names: readonly string[] } {
  // Refuses what is not JSON, on which the pattern would take quadratic time.
  JSON.parse(text)
  const names: string[] = []
  const numbered = text.replace(strings, (string, name, colon) =>
    colon === undefined ? string : `"${names.push(JSON.parse(`"${name}"`)) - 1}":`,
  )
  return { value: named(JSON.parse(numbered), names), names }
}

function named(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => named(item, names))
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([index, member]) => [names[Number(index)], named(member, names)]),
  )
}
