import type { JsonObject } from '@svc/contract'
import { KnownNames } from './known-names.ts'

/** More levels are left to others, who refuse far more. */
const maxDepth = 32

const quote = 34
const comma = 44
const minus = 45
const point = 46
const digit0 = 48
const digit9 = 57
const colon = 58
const largeE = 69
const openBracket = 91
const backslash = 92
const closeBracket = 93
const smallE = 101
const openBrace = 123
const closeBrace = 125

const names = new KnownNames()

/**
 * New names that one body may bring, of those that an application chose. To learn one takes some
 * microseconds, many times what it takes to read one that is known.
 */
const maxNewNames = 64

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
  if (body[0] !== openBrace) return undefined
  return readObject({ bytes: body, text: body.toString('latin1'), at: 0, newNames: 0 }, 1)
}

/** How far a body has been read. Those that read on from there return `undefined` where they give up. */
interface Reading {
  readonly bytes: Buffer
  /** A character for each byte. */
  readonly text: string
  at: number
  /** How many of its names were not known. */
  newNames: number
}

function readObject(reading: Reading, depth: number): JsonObject | undefined {
  const object: Record<string, unknown> = {}
  let members = 0
  reading.at++
  let next = skipSpace(reading)
  while (next === quote) {
    const name = readName(reading)
    if (name === undefined || name === '__proto__' || name === 'constructor') return undefined
    if (skipSpace(reading) !== colon) return undefined
    reading.at++
    const value = readValue(reading, depth)
    if (value === undefined) return undefined
    object[name] = value
    members++
    const separator = skipSpace(reading)
    reading.at++
    // A name that came twice is there once.
    if (separator === closeBrace) {
      return Object.keys(object).length === members ? object : undefined
    }
    if (separator !== comma) return undefined
    next = skipSpace(reading)
  }
  if (next !== closeBrace || members > 0) return undefined
  reading.at++
  return object
}

function readValue(reading: Reading, depth: number): unknown {
  const first = skipSpace(reading)
  if (first === quote) return readText(reading)
  if (first === openBrace) return depth < maxDepth ? readObject(reading, depth + 1) : undefined
  if (first === openBracket) return depth < maxDepth ? readList(reading, depth + 1) : undefined
  return readScalar(reading, first)
}

function readList(reading: Reading, depth: number): readonly unknown[] | undefined {
  const list: unknown[] = []
  reading.at++
  if (skipSpace(reading) === closeBracket) {
    reading.at++
    return list
  }
  for (;;) {
    const value = readValue(reading, depth)
    if (value === undefined) return undefined
    list.push(value)
    const separator = skipSpace(reading)
    reading.at++
    if (separator === closeBracket) return list
    if (separator !== comma) return undefined
  }
}

function readName(reading: Reading): string | undefined {
  const start = ++reading.at
  for (let hash = 0; ; hash = (hash * 31 + (reading.bytes[reading.at++] ?? 0)) | 0) {
    const byte = reading.bytes[reading.at] ?? 0
    if (byte === quote) {
      const end = reading.at++
      const known = names.find(reading.bytes, start, end, hash)
      if (known !== undefined) return known
      if (++reading.newNames > maxNewNames) return undefined
      return names.learn(reading.text.slice(start, end), hash)
    }
    if (byte < 32 || byte > 126 || byte === backslash) return undefined
  }
}

function readText(reading: Reading): string | undefined {
  const start = ++reading.at
  for (;;) {
    const byte = reading.bytes[reading.at] ?? 0
    if (byte === quote) return reading.text.slice(start, reading.at++)
    if (byte < 32 || byte > 126 || byte === backslash) return undefined
    reading.at++
  }
}

function readScalar(reading: Reading, first: number): boolean | number | null | undefined {
  if (first === minus || isDigit(first)) return readNumber(reading)
  if (takes(reading, 'true')) return true
  if (takes(reading, 'false')) return false
  return takes(reading, 'null') ? null : undefined
}

function takes(reading: Reading, word: string): boolean {
  if (!reading.text.startsWith(word, reading.at)) return false
  reading.at += word.length
  return true
}

function readNumber(reading: Reading): number | undefined {
  const { bytes } = reading
  const isNegative = bytes[reading.at] === minus
  const start = isNegative ? reading.at + 1 : reading.at
  let at = start
  let number = 0
  for (; at - start <= maxDigits && isDigit(bytes[at]); at++) {
    number = number * 10 + (bytes[at] ?? 0) - digit0
  }
  const digits = at - start
  const next = bytes[at]
  const isFraction = next === point || next === smallE || next === largeE
  const hasLeadingZero = digits > 1 && bytes[start] === digit0
  if (digits === 0 || digits > maxDigits || isFraction || hasLeadingZero) return undefined
  reading.at = at
  return isNegative ? -number : number
}

function isDigit(byte = 0): boolean {
  return byte >= digit0 && byte <= digit9
}

function skipSpace(reading: Reading): number {
  for (;;) {
    const byte = reading.bytes[reading.at] ?? 0
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return byte
    reading.at++
  }
}
