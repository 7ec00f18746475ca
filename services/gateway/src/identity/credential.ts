import { hash } from 'node:crypto'
import { AppError, invalidArgument } from '@svc/runtime'

/** More than any token has; what is longer is refused without a look at it. */
const maxTokenLength = 4096

/** One message for every way in which a credential can be missing or wrong. */
export function unauthenticated(reason: string): AppError {
  return new AppError('unauthenticated', reason, 'request was not authenticated')
}

/**
 * The client token that a request carries in its `Authorization` header.
 *
 * @param rawHeaders names and values in turn, as Node.js got them: of two `Authorization` headers
 *   its parsed form keeps the first without a word
 * @returns `undefined` when the request carries no credential
 * @throws {AppError} `unauthenticated` when it carries one that cannot be a client token,
 *   `invalid_argument` when it carries several
 */
export function readCredential(rawHeaders: readonly string[]): string | undefined {
  const header = findAuthorization(rawHeaders)
  return header === undefined ? undefined : readBearer(header)
}

/** What we know a token by. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64')
}

/** A client token that a request carries, and what we know it by. */
export interface Credential {
  readonly token: string
  readonly tokenHash: string
}

/**
 * What each connection sent last: the same with every request, as a rule, and to read and hash it
 * anew takes longer than an evaluation. Forgotten with the connection.
 */
const lastSent = new WeakMap<object, Credential & { readonly header: string }>()

/**
 * The same as {@link readCredential}, with its hash.
 *
 * @param connection the one that the request came by
 * @throws {AppError} as that does
 */
export function recallCredential(
  rawHeaders: readonly string[],
  connection: object,
): Credential | undefined {
  const header = findAuthorization(rawHeaders)
  if (header === undefined) return undefined
  const last = lastSent.get(connection)
  if (last?.header === header) return last
  const token = readBearer(header)
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

/** RFC 9110 section 11.4: the scheme in any case, one space, the token. */
function readBearer(header: string): string {
  const token = header.slice(7)
  if (
    header.slice(0, 7).toLowerCase() !== 'bearer ' ||
    token.length > maxTokenLength ||
    !/^[\x21-\x7e]+$/.test(token)
  ) {
    throw unauthenticated('malformed_credential')
  }
  return token
}
