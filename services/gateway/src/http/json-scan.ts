import { invalidArgument } from '@svc/runtime'

/** Deeper than any request has to be; what is parsed here may be walked by recursion. */
const maxDepth = 32

/** Objects and lists of a body. The largest batch has 2,001; short ones cost the most per byte. */
const maxContainers = 16_384

/**
 * Values in the lists and objects of a body: each may take some hundred bytes, however short it is. An attachment or
 * metadata that is one long list has some thousand.
 */
const maxValues = 131_072

/** Different names of members; batches have some dozens. A new name costs V8 many times a known one. */
const maxNames = 2048

/** What is worth knowing about a JSON object in UTF-8 before it is parsed. */
export interface Scan {
  /** Where the object ends, which is before whatever follows it. */
  readonly end: number
  /** How many members all its objects have together, as written. */
  readonly members: number
  /** Whether a string holds what only an escape can write, such as U+0000. */
  readonly hasUnicodeEscapes: boolean
  /** Whether a name has an escape, of which V8 misreads some. */
  readonly hasEscapedNames: boolean
}

const quote = 34
const comma = 44
const colon = 58
const letterU = 117
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/**
 * Walks over the object that begins at `start`. The syntax is left to `JSON.parse`, which is safe once this
 * has bounded the depth. Only ASCII has a meaning here.
 *
 * @throws {AppError} `invalid_argument` for one over a limit, or without an end
 */
export function scanJson(bytes: Buffer, start: number): Scan {
  try {
    const scan = walk(bytes, start, undefined)
    if (scan.members <= maxNames) return scan
  } catch {
    // Walked again, because there may be too many names before what is wrong.
  }
  // Comparing names takes longer than the rest.
  return walk(bytes, start, new Set())
}

function walk(bytes: Buffer, start: number, names: Set<string> | undefined): Scan {
  let depth = 0
  let containers = 0
  let commas = 0
  let members = 0
  let nameStart = 0
  let nameEnd = 0
  let escapeAt = -1
  let hasUnicodeEscapes = false
  let hasEscapedNames = false

  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) {
      nameStart = i + 1
      for (i++; i < bytes.length; i++) {
        const inner = bytes[i]
        if (inner === quote) break
        if (inner !== backslash) continue
        escapeAt = i
        if (bytes[++i] === letterU) hasUnicodeEscapes = true
      }
      nameEnd = i
    } else if (byte === colon) {
      members++
      if (escapeAt >= nameStart) hasEscapedNames = true
      if (names === undefined) continue
      if (names.add(bytes.toString('latin1', nameStart, nameEnd)).size > maxNames) {
        throw invalidArgument(`the json body has more than ${maxNames} different names`)
      }
      // Each text counts once, however many colons follow it.
      nameStart = nameEnd
    } else if (byte === comma) {
      // Of lists and objects that are not empty, all but one value each has one before it.
      if (++commas > maxValues) {
        throw invalidArgument(`the json body has more than ${maxValues} values`)
      }
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) {
        throw invalidArgument(`the json body nests deeper than ${maxDepth} levels`)
      }
      if (++containers > maxContainers) {
        throw invalidArgument(`the json body has more than ${maxContainers} objects and lists`)
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      if (--depth === 0) return { end: i + 1, members, hasUnicodeEscapes, hasEscapedNames }
    }
  }
  throw invalidArgument('the json body ends early')
}
