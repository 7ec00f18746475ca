/** JSON without insignificant white space, and how deep it is nested. */
export interface CompactJson {
  readonly text: string
  readonly depth: number
}

/**
 * An attachment as it is stored: its JSON without insignificant white space. Everything else stays as it
 * was written: the order of members, members that come twice, and the spelling of numbers, which
 * printing a parsed value would lose.
 *
 * @returns nothing when it is no JSON
 */
export function compactAttachment(text: string): CompactJson | undefined {
  return isJson(text) ? compact(text) : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** @param json is known to be valid */
function compact(json: string): CompactJson {
  const parts: string[] = []
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at)
    const between = json.slice(at, quote === -1 ? json.length : quote)
    for (const character of between) {
      if (character === '{' || character === '[') depth += 1
      else if (character === '}' || character === ']') depth -= 1
      if (depth > deepest) deepest = depth
    }
    parts.push(between.replace(/[ \t\n\r]+/g, ''))
    if (quote === -1) break
    at = endOfText(json, quote)
    parts.push(json.slice(quote, at))
  }
  return { text: parts.join(''), depth: deepest }
}

/** The place after the quote that closes the string which the one at `quote` opens. */
export function endOfText(json: string, quote: number): number {
  let at = quote + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}
