/** What is worth knowing about a JSON object in UTF-8 before it is parsed. */
export interface Scan {
  /** Where the object ends, which is before whatever follows it; `undefined` when the bytes end first. */
  readonly end: number | undefined
  /** How deep objects and lists nest. No more than one over the limit is looked at. */
  readonly depth: number
  /** How many objects and lists there are. No more than one over the limit is looked at. */
  readonly containers: number
  /** How many members all its objects have together, as written. */
  readonly members: number
  /** How many different names they have, as written; no more than one over the limit is looked at. */
  readonly names: number
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

interface ScanLimits {
  readonly maxDepth: number
  readonly maxContainers: number
  /** Left out, names are not told apart, which takes longer than the rest. */
  readonly maxNames?: number
}

/**
 * Walks once over the object that begins at `start`. The syntax is left to `JSON.parse`, which is safe
 * once this has bounded the depth. Only ASCII has a meaning here.
 */
export function scanJson(bytes: Buffer, start: number, limits: ScanLimits): Scan {
  const { maxDepth, maxContainers, maxNames } = limits
  const names = maxNames === undefined ? undefined : new Set<string>()
  let depth = 0
  let deepest = 0
  let containers = 0
  let members = 0
  let nameStart = 0
  let nameEnd = 0
  let hasUnicodeEscapes = false
  let end: number | undefined

  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) {
      nameStart = i + 1
      for (i++; i < bytes.length; i++) {
        const inner = bytes[i]
        if (inner === quote) break
        if (inner === backslash && bytes[++i] === letterU) hasUnicodeEscapes = true
      }
      nameEnd = i
    } else if (byte === colon) {
      members++
      if (names === undefined || maxNames === undefined) continue
      if (names.add(bytes.toString('latin1', nameStart, nameEnd)).size > maxNames) break
      // Each text counts once, however many colons follow it.
      nameStart = nameEnd
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > deepest) deepest = depth
      if (depth > maxDepth || ++containers > maxContainers) break
    } else if (byte === closeBrace || byte === closeBracket) {
      if (--depth === 0) {
        end = i + 1
        break
      }
    }
  }
  return { end, depth: deepest, containers, members, names: names?.size ?? 0, hasUnicodeEscapes }
}
