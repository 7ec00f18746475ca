/** What is worth knowing about the text of a JSON object before it is parsed. */
export interface Scan {
  /** Where the object ends, which is before whatever follows it; `undefined` when the text ends first. */
  readonly end: number | undefined
  /** How deep objects and arrays nest. No more than one over the limit is looked at. */
  readonly depth: number
  /** How many members all its objects have together, as written. */
  readonly members: number
  /** Whether a string holds what only an escape can write, such as U+0000. */
  readonly hasUnicodeEscapes: boolean
}

const quote = 34
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const letterU = 117
const openBrace = 123
const closeBrace = 125

/**
 * Walks once over the object that begins at `start`. The syntax is left to `JSON.parse`, which may
 * have the text once this says that it is not too deep.
 */
export function scanJson(text: string, start: number, maxDepth: number): Scan {
  let depth = 0
  let deepest = 0
  let members = 0
  let hasUnicodeEscapes = false
  let end: number | undefined

  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === quote) {
      for (i++; i < text.length; i++) {
        const inner = text.charCodeAt(i)
        if (inner === quote) break
        if (inner === backslash && text.charCodeAt(++i) === letterU) hasUnicodeEscapes = true
      }
    } else if (unit === colon) {
      members++
    } else if (unit === openBrace || unit === openBracket) {
      if (++depth > deepest) deepest = depth
      if (depth > maxDepth) break
    } else if (unit === closeBrace || unit === closeBracket) {
      if (--depth === 0) {
        end = i + 1
        break
      }
    }
  }
  return { end, depth: deepest, members, hasUnicodeEscapes }
}

/** The place of the first sign of a value: after white space and a byte order mark. */
export function skipSpace(text: string): number {
  let i = 0
  while (isSpace(text.charCodeAt(i))) i++
  return i
}

/** RFC 8259 section 2, and the mark that section 8.1 lets us ignore. */
function isSpace(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 13 || unit === 9 || unit === 0xfeff
}
