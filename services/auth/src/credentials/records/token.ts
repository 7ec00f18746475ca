import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// `svc_` + 32 random bytes in base64url + `_` + CRC-32 of what stands before it, in base62. The
// random part may itself contain `-` and `_`, hence the fixed positions.
const prefix = 'svc_'
const checksumLength = 6
const bodyLength = prefix.length + 43
const tokenLength = bodyLength + 1 + checksumLength

export function generateToken(): string {
  const body = prefix + randomBytes(32).toString('base64url')
  return `${body}_${checksumOf(body)}`
}

/**
 * Whether a lookup can succeed: `false` for a token of this service with a wrong checksum, which is a
 * mistyped one, and for characters that no credential has.
 */
export function isPlausible(token: string): boolean {
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) return false
  if (token.length !== tokenLength || !token.startsWith(prefix)) return true
  return token.slice(bodyLength) === `_${checksumOf(token.slice(0, bodyLength))}`
}

declare const brand: unique symbol

/** SHA-256 of a credential, in base64url: 43 characters. The one spelling of it in this service. */
export type Hash = string & { readonly [brand]: 'Hash' }

/**
 * What is kept of a token. A token carries 256 random bits, so its hash cannot be searched; a slow
 * password hash would only cost time on every request.
 */
export function hashToken(token: string): Hash {
  return createHash('sha256').update(token).digest('base64url') as Hash
}

/** A hash as messages and tables have it. */
export function toBytes(hash: Hash): Buffer {
  return Buffer.from(hash, 'base64url')
}

export function fromBytes(bytes: Buffer): Hash {
  return bytes.toString('base64url') as Hash
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

/** Prefix of the keys of metadata that this service sets; callers cannot. */
export const reservedPrefix = 'io.svc.auth.'

/** The metadata of static tokens. */
export const tokenKeys = {
  name: 'io.svc.auth.token.name',
  description: 'io.svc.auth.token.description',
  namespace: 'io.svc.auth.token.namespace',
} as const

/** The metadata of tokens of the command line, beside that of their session. */
export const cliKeys = {
  /** What the command line calls itself, for example the name of its machine. */
  name: 'io.svc.auth.cli.name',
} as const
