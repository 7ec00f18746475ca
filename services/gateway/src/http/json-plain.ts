import type { JsonObject } from './json.ts'

/** More levels are left to others, who refuse far more. */
const maxDepth = 32

const quote = 34
const comma = 44
const minus = 45
const digit0 = 48
const digit9 = 57
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** With so many digits a whole number is exact, whichever they are. */
const maxDigits = 15

/**
 * Reads the JSON objects that clients usually send: ASCII without escapes, whole numbers, no name
 * that could mean something to JavaScript. For some hundred bytes that takes half of what `JSON.parse`
 * and the checks around it take.
 *
 * @returns `undefined` for everything else, and for what is wrong: others say how
 */
export function parsePlainObject(body: Buffer): JsonObject | undefined {
  return body[0] === openBrace ? new PlainReader(body).readObject(1) : undefined
}

/** Its methods return `undefined` where they give up. */
class PlainReader {
  readonly #bytes: Buffer
  /** A character for each byte. */
  readonly #text: string
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#text = bytes.toString('latin1')
  }

  readObject(depth: number): JsonObject | undefined {
    const object: Record<string, unknown> = {}
    let members = 0
    this.#at++
    let next = this.#skipSpace()
    while (next === quote) {
      const name = this.#readText()
      if (name === undefined || name === '__proto__' || name === 'constructor') return undefined
      if (this.#skipSpace() !== colon) return undefined
      this.#at++
      const value = this.#readValue(depth)
      if (value === undefined) return undefined
      object[name] = value
      members++
      const separator = this.#skipSpace()
      this.#at++
      // A name that came twice is there once.
      if (separator === closeBrace) {
        return Object.keys(object).length === members ? object : undefined
      }
      if (separator !== comma) return undefined
      next = this.#skipSpace()
    }
    if (next !== closeBrace || members > 0) return undefined
    this.#at++
    return object
  }

  #readValue(depth: number): unknown {
    const first = this.#skipSpace()
    if (first === quote) return this.#readText()
    if (first === openBrace) return depth < maxDepth ? this.readObject(depth + 1) : undefined
    if (first === openBracket) return depth < maxDepth ? this.#readList(depth + 1) : undefined
    return this.#readScalar(first)
  }

  #readList(depth: number): readonly unknown[] | undefined {
    const list: unknown[] = []
    this.#at++
    if (this.#skipSpace() === closeBracket) {
      this.#at++
      return list
    }
    for (;;) {
      const value = this.#readValue(depth)
      if (value === undefined) return undefined
      list.push(value)
      const separator = this.#skipSpace()
      this.#at++
      if (separator === closeBracket) return list
      if (separator !== comma) return undefined
    }
  }

  #readText(): string | undefined {
    const start = ++this.#at
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0
      if (byte === quote) return this.#text.slice(start, this.#at++)
      if (byte < 32 || byte > 126 || byte === backslash) return undefined
      this.#at++
    }
  }

  #readScalar(first: number): boolean | number | null | undefined {
    if (first === minus || (first >= digit0 && first <= digit9)) return this.#readNumber()
    if (this.#takes('true')) return true
    if (this.#takes('false')) return false
    return this.#takes('null') ? null : undefined
  }

  #takes(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #readNumber(): number | undefined {
    const text = this.#text.slice(this.#at, this.#at + maxDigits + 2)
    const [digits = ''] = /^-?(?:0|[1-9]\d*)(?![\d.eE])/.exec(text) ?? []
    this.#at += digits.length
    return digits === '' || digits.length > maxDigits ? undefined : Number(digits)
  }

  #skipSpace(): number {
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return byte
      this.#at++
    }
  }
}
