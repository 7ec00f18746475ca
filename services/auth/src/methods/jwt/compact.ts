import { isJwtShaped } from '@svc/access'
import { AppError } from '@svc/runtime'

/** The members of a JSON object, by the names that it has itself and nothing else. */
export type Members = ReadonlyMap<string, unknown>

/** A parsed token. Nothing in it has been verified. */
export interface CompactJwt {
  readonly header: Members
  readonly claims: Members
  readonly signature: Buffer
}

/**
 * The message is that of every other bad credential.
 *
 * @param reason for the log of the gateway; docs/authentication.md lists them
 */
export function refused(reason: string): AppError {
  return new AppError('unauthenticated', `jwt_${reason}`, 'request was not authenticated')
}

/** Maximum nesting of claims. */
const maxDepth = 32

/**
 * Parses a token more strictly than RFC 7515, so that every reader understands it alike: one spelling
 * of each byte, UTF-8, no name twice.
 *
 * @throws {AppError} `unauthenticated`
 */
export function readCompact(jwt: string): CompactJwt {
  if (!isJwtShaped(jwt)) throw refused('malformed')
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  return {
    header: readObject(decode(header)),
    claims: readObject(decode(claims)),
    signature: decode(signature),
  }
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  // The last character may have spare bits, in which several spellings differ.
  if (bytes.toString('base64url') !== part) throw refused('malformed')
  return bytes
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readObject(bytes: Buffer): Members {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    // JSON.parse keeps one of several members of the same name, however each of them is written.
    if (isObject && countMembers(value, maxDepth) === countColons(text)) {
      return new Map(Object.entries(value))
    }
  } catch {
    // Neither UTF-8 nor JSON.
  }
  throw refused('malformed')
}

/** @returns NaN when it nests deeper than `levels` */
function countMembers(value: object, levels: number): number {
  if (levels === 0) return Number.NaN
  const isList = Array.isArray(value)
  const parts: readonly unknown[] = isList ? value : Object.values(value)
  return parts
    .filter((part) => typeof part === 'object' && part !== null)
    .reduce<number>((sum, part) => sum + countMembers(part, levels - 1), isList ? 0 : parts.length)
}

/** Counts colons outside of strings: one for each member as written. */
function countColons(json: string): number {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1
}
