/** The parts of a JSON text: strings, signs, and words and numbers as they are written. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * JSON in lines, as people write it. Unlike printing what was parsed it keeps the spelling of numbers and members
 * that come twice.
 *
 * @param json is known to be JSON
 */
export function layoutJson(json: string): string {
  let text = ''
  let depth = 0
  let last = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [part] of json.matchAll(token)) {
    const opens = last === '{' || last === '['
    if (part === '}' || part === ']') {
      depth--
      text += opens ? part : newLine() + part
    } else if (part === ',' || part === ':') {
      text += part === ':' ? ': ' : part
    } else {
      text += opens || last === ',' ? newLine() + part : part
      if (part === '{' || part === '[') depth++
    }
    last = part
  }
  return text
}

/**
 * JSON without white space between its parts, as the service keeps it.
 *
 * @param json is known to be JSON
 */
export function compactJson(json: string): string {
  return [...json.matchAll(token)].map(([part]) => part).join('')
}
