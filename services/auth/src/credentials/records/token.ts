import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// `svc_` + 32 random bytes in base64url + `_` + CRC-32 of what stands before it, in base62. The
// random part may itself contain `-` and `_`, so that the places are counted.
const prefix = 'svc_'
const checksumLength = 6
const bodyLength = prefix.length + 43
const tokenLength = bodyLength + 1 + checksumLength

export function generateToken(): string {
  const body = prefix + randomBytes(32).toString('base64url')
  return `${body}_${checksumOf(body)}`
}

/**
 * Whether a lookup may find anything: `false` for what has the shape of a token of ours but the
 * wrong checksum, which is a mistyped one, and for what no credential consists of.
 */
export function isPlausible(token: string): boolean {
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) return false
  if (token.length !== tokenLength || !token.startsWith(prefix)) return true
  return token.slice(bodyLength) === `_${checksumOf(token.slice(0, bodyLength))}`
}

/**
 * What we keep of a token: SHA-256, in base64url. A token carries 256 random bits, so its hash
 * cannot be searched; a slow password hash would only cost time on every request.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function checksumOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  while (text.length < checksumLength) {
    text = digits.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
