import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isJwtShaped } from '@svc/access'
import { invalidArgument } from '@svc/runtime'
import { readSessionCookie } from './cookies.ts'
import { unauthenticated } from './errors.ts'

/** More than any client token has; what is longer is refused without a look at it. */
const maxTokenLength = 4096

/** A client token, or a JWT, and the hash that caches know it by. */
export interface HashedToken {
  readonly token: string
  readonly tokenHash: string
}

/** What a request presents, and by which way: a browser adds cookies without being asked. */
export interface Credential extends HashedToken {
  readonly carrier: 'header' | 'cookie'
}

/** The parts of a request that may hold a credential. */
export type CredentialSource = Pick<IncomingMessage, 'rawHeaders' | 'socket'>

/** The last header of each connection: as a rule the same, and to hash it costs an evaluation. */
const lastSent = new WeakMap<Socket, Credential & { readonly header: string }>()

/**
 * The `Authorization` header decides, and only without one the cookie of a login.
 *
 * @param request with its raw headers: the parsed ones keep the first of two
 * @throws {AppError} `unauthenticated` for a malformed one, `invalid_argument` for several headers
 */
export function readCredential(
  { rawHeaders, socket }: CredentialSource,
  acceptsJwt: boolean,
): Credential | undefined {
  const header = findAuthorization(rawHeaders)
  if (header === undefined) {
    const token = readSessionCookie(rawHeaders)
    return token === undefined ? undefined : toCredential(token, 'cookie')
  }
  const last = lastSent.get(socket)
  if (last?.header === header) return last
  const sent = { header, ...toCredential(readAuthorization(header, acceptsJwt), 'header') }
  lastSent.set(socket, sent)
  return sent
}

function toCredential(token: string, carrier: Credential['carrier']): Credential {
  return { token, tokenHash: hashToken(token), carrier }
}

/** What caches know a token by. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64')
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
