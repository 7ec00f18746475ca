import { isUtf8 } from 'node:buffer'
import { isObject, type JsonObject, parseEscapedNames, wrongValues } from '@svc/contract'
import { type AppError, invalidArgument } from '@svc/runtime'
import { scanJson } from './json-scan.ts'

/** For clients that sent a form, or another JSON value. */
const jsonObject = 'a JSON object such as {"key":"value"}, with Content-Type: application/json'

/**
 * Reads a body as a JSON object; an empty one and `null` have no members. What follows the first value is
 * ignored. The result has no name twice, none that reaches a prototype, only finite numbers, and
 * well-formed text without U+0000, which PostgreSQL cannot keep.
 *
 * @throws {AppError} `invalid_argument`
 */
export function parseJsonObject(body: Buffer): JsonObject {
  const text = body.toString()
  // What is not UTF-8 is decoded to U+FFFD, which may also have been sent.
  if (text.includes('\ufffd') && !isUtf8(body)) throw invalidArgument('the body is not valid UTF-8')
  // After white space, and byte order marks, which RFC 8259 section 8.1 lets us ignore.
  const at = text.startsWith('{') ? 0 : text.search(/[^ \n\r\t\ufeff]/)
  if (at === -1) return {}
  if (text[at] !== '{') {
    if (/^null(?!\w)/.test(text.slice(at, at + 5))) return {}
    throw /[[\-0-9"tfn]/.test(text.charAt(at))
      ? wrongValues(`the body must be ${jsonObject}`)
      : malformed(`: send ${jsonObject}`)
  }
  const start = at === 0 ? 0 : Buffer.byteLength(text.slice(0, at))
  const { end, members, hasUnicodeEscapes, hasEscapedNames } = scanJson(body, start)
  const isWhole = start === 0 && end === body.length
  const value = parse(isWhole ? text : body.toString('utf8', start, end), hasEscapedNames)
  // Hardly any body has anything of the kind, and to look at every name takes as long as to parse it.
  if (hasUnicodeEscapes || text.includes('__proto__') || text.includes('constructor')) {
    checkNames(value, hasUnicodeEscapes)
  }
  // JSON.parse keeps one of several members of the same name, however each of them is written.
  if (countMembers(value) !== members) {
    throw invalidArgument('the json body has a name twice in one object')
  }
  return value
}

/** @param text of an object */
function parse(text: string, hasEscapedNames: boolean): JsonObject {
  try {
    return hasEscapedNames ? Object(parseEscapedNames(text).value) : JSON.parse(text)
  } catch (error) {
    // The rest of the message quotes the body.
    const position =
      error instanceof Error ? / at position \d+/.exec(error.message)?.[0] : undefined
    throw malformed(position)
  }
}

/** @throws {AppError} for a number that we do not take in any body */
function countMembers(value: unknown): number {
  if (typeof value === 'number') checkNumber(value)
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  // By index: lists may be many and short, and each iterator costs more than such a list.
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) members += countMembers(value[i])
  } else {
    for (const name in value) members += 1 + countMembers(Reflect.get(value, name))
  }
  return members
}

function checkNumber(value: number): void {
  if (!Number.isFinite(value)) throw wrongValues('a number is too large')
  // From 1e21 on digits are not written out; below, the last of them would be lost.
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) {
    throw invalidArgument('the json body has a number too large to be kept; send it as a string')
  }
}

/** @throws {AppError} for a name or text that we do not take in any body */
function checkNames(value: unknown, hasUnicodeEscapes: boolean): void {
  if (typeof value === 'string' && hasUnicodeEscapes) checkText(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (hasUnicodeEscapes) checkText(name)
    if (name === '__proto__' || (name === 'constructor' && holdsPrototype(member))) {
      throw invalidArgument('the json body has a name that is not allowed')
    }
    checkNames(member, hasUnicodeEscapes)
  }
}

function holdsPrototype(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, 'prototype')
}

function checkText(text: string): void {
  if (/[\0\p{Surrogate}]/u.test(text)) {
    throw invalidArgument('the json body has text that is not well-formed')
  }
}

function malformed(detail = ''): AppError {
  return invalidArgument(`syntax error in json body${detail}`)
}
