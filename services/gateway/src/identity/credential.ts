import { hash } from 'node:crypto'
import { isJwtShaped } from '@svc/access'
import { invalidArgument } from '@svc/runtime'
import { readSessionCookie } from './cookies.ts'
import { unauthenticated } from './refusals.ts'

/** More than any client token has; what is longer is refused without a look at it. */
const maxTokenLength = 4096

/** What a request presents, and by which way: a browser adds cookies without being asked. */
export interface Credential {
  readonly token: string
  readonly carrier: 'header' | 'cookie'
}

/** A client token, or a JWT, and what we know it by. */
export interface HashedToken {
  readonly token: string
  readonly tokenHash: string
}

/**
 * The credential of a request: what its `Authorization` header says, whatever cookies there are, and
 * only without one the cookie of a login.
 *
 * @param rawHeaders names and values in turn, as Node.js got them: of two `Authorization` headers
 *   its parsed form keeps the first without a word
 * @param acceptsJwt whether the JWT method is enabled
 * @returns `undefined` when the request carries no credential
 * @throws {AppError} `unauthenticated` when it carries one that cannot be good, `invalid_argument`
 *   when it carries several headers
 */
export function readCredential(
  rawHeaders: readonly string[],
  acceptsJwt: boolean,
): Credential | undefined {
  const header = findAuthorization(rawHeaders)
  if (header !== undefined) {
    return { token: readAuthorization(header, acceptsJwt), carrier: 'header' }
  }
  const token = readSessionCookie(rawHeaders)
  return token === undefined ? undefined : { token, carrier: 'cookie' }
}

/** What we know a token by. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64')
}

/**
 * What each connection sent last: the same with every request, as a rule, and to read and hash it
 * anew takes longer than an evaluation. Forgotten with the connection.
 */
const lastSent = new WeakMap<object, HashedToken & { readonly header: string }>()

/**
 * What {@link readCredential} finds in the header, with its hash. Does not look for cookies.
 *
 * @param connection the one that the request came by
 * @throws {AppError} as that does
 */
export function recallToken(
  rawHeaders: readonly string[],
  acceptsJwt: boolean,
  connection: object,
): HashedToken | undefined {
  const header = findAuthorization(rawHeaders)
  if (header === undefined) return undefined
  const last = lastSent.get(connection)
  if (last?.header === header) return last
  const token = readAuthorization(header, acceptsJwt)
  const sent = { header, token, tokenHash: hashToken(token) }
  lastSent.set(connection, sent)
  return sent
}

function findAuthorization(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue
    if (found !== undefined) throw invalidArgument('more than one Authorization header')
    found = rawHeaders[i + 1] ?? ''
  }
  return found
}

/** RFC 9110 section 11.4: the scheme in any case, one space, the credential. */
function readAuthorization(header: string, acceptsJwt: boolean): string {
  const end = header.indexOf(' ')
  const scheme = header.slice(0, Math.max(end, 0)).toLowerCase()
  const token = header.slice(end + 1)
  const isJwt = acceptsJwt && isJwtShaped(token)
  const isGood = scheme === 'bearer' ? isJwt || isToken(token) : scheme === 'jwt' && isJwt
  if (!isGood) throw unauthenticated('malformed_credential')
  return token
}

function isToken(text: string): boolean {
  return text.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(text)
}
