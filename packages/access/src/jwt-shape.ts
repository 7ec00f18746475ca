/** More than any that fits its purpose; a header of a request has room for twice as much. */
const maxJwtLength = 8192

/**
 * Whether a credential is to be taken for a JWT and never for a client token: three parts of base64url,
 * as RFC 7515 section 3.1 has them. Says nothing about what is in it.
 */
export function isJwtShaped(credential: string): boolean {
  return (
    credential.length <= maxJwtLength &&
    /^[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}$/.test(credential)
  )
}
