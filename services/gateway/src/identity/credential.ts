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
  let found: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length !== 13 || rawHeaders[i]?.toLowerCase() !== 'authorization') continue
    if (found !== undefined) throw invalidArgument('more than one Authorization header')
    found = rawHeaders[i + 1] ?? ''
  }
  return found === undefined ? undefined : readBearer(found)
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
