import { isUtf8 } from 'node:buffer'
import { isJwtShaped } from '@svc/access'
import { isObject, parseEscapedNames } from '@svc/contract'
import { AppError } from '@svc/runtime'

/** The members of a JSON object, by the names that it has itself and nothing else. */
export type Members = ReadonlyMap<string, unknown>

/** A parsed token. Nothing in it has been verified. */
export interface CompactJwt {
  readonly header: Members
  readonly claims: Members
  readonly signature: Buffer
}

/** @param reason for the log of the gateway; docs/authentication.md lists them */
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

function readObject(bytes: Buffer): Members {
  try {
    if (!isUtf8(bytes)) throw refused('malformed')
    const { value, names } = parseEscapedNames(bytes.toString())
    // Of several members of a name, one is kept.
    if (isObject(value) && countNames(value, maxDepth) === names.length) {
      return new Map(Object.entries(value))
    }
  } catch {
    // It is no JSON.
  }
  throw refused('malformed')
}

/** @throws when it nests deeper than `levels` */
function countNames(value: object, levels: number): number {
  if (levels === 0) throw refused('malformed')
  const parts: readonly unknown[] = Object.values(value)
  const nested = parts.filter((part) => typeof part === 'object' && part !== null)
  const own = Array.isArray(value) ? 0 : parts.length
  return nested.reduce<number>((sum, part) => sum + countNames(part, levels - 1), own)
}
