import { invalidField } from '@svc/runtime'

/** The "1000 KB" of the established interface, counted as it is stored. */
const maxBytes = 1_024_000

/** Maximum depth: enough for any configuration, and harmless to a recursive parser. */
const maxDepth = 64

/**
 * The JSON text of an attachment without insignificant white space; empty when there is none.
 * Everything else stays as it was sent: the order of members, members that come twice, and the
 * spelling of numbers, which printing a parsed value would lose.
 *
 * @throws {AppError} when it is no JSON, too deep or too long
 */
export function toAttachment(text: string): string {
  if (text === '') return ''
  if (!isJson(text)) throw invalidField('attachment', 'must be a json string')
  const attachment = compact(text)
  if (Buffer.byteLength(attachment) > maxBytes) {
    throw invalidField('attachment', 'must be less than 1000 KB')
  }
  return attachment
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
function compact(json: string): string {
  const parts: string[] = []
  let depth = 0
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at)
    const between = json.slice(at, quote === -1 ? json.length : quote)
    depth = trackDepth(between, depth)
    parts.push(between.replace(/[ \t\n\r]+/g, ''))
    if (quote === -1) break
    at = endOfString(json, quote)
    parts.push(json.slice(quote, at))
  }
  return parts.join('')
}

function trackDepth(between: string, start: number): number {
  let depth = start
  for (const character of between) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > maxDepth) {
      throw invalidField('attachment', `must not be nested deeper than ${maxDepth} levels`)
    }
  }
  return depth
}

/** The place after the quote that closes the string which the one at `quote` opens. */
function endOfString(json: string, quote: number): number {
  let at = quote + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}
