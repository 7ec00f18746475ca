/** Maximum length of a JWT: half of what the headers of a request have room for. */
const maxJwtLength = 8192

/**
 * Whether a credential is a JWT by its form, and not a client token: three parts in base64url (RFC 7515
 * section 3.1). Its content is not checked.
 */
export function isJwtShaped(credential: string): boolean {
  return (
    credential.length <= maxJwtLength &&
    /^[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}$/.test(credential)
  )
}
