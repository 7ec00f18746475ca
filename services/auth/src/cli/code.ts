import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Hash, hashToken } from '../credentials/records/token.ts'

/** Base 32 without letters that read like digits (Crockford): people may have to type it. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Of five bits each: 100 in all. */
const length = 20

export function generateCode(): string {
  return Array.from(randomBytes(length), (byte) => digits[byte % digits.length]).join('')
}

/**
 * A code as it may have been typed: in groups, in small letters, with O for 0 and I or L for 1.
 *
 * @returns nothing for what can be no code
 */
export function readCode(text: string): string | undefined {
  // Of these alone: in capitals `ß` would become SS.
  if (!/^[\dA-Za-z -]*$/.test(text)) return undefined
  const plain = text.replace(/[ -]/g, '').toUpperCase()
  const code = plain.replaceAll('O', '0').replace(/[IL]/g, '1')
  return code.length === length && [...code].every((one) => digits.includes(one)) ? code : undefined
}

/** What is kept of a code: its 100 random bits cannot be searched within a minute. */
export function hashCode(code: string): Hash {
  return hashToken(code)
}

/** RFC 7636 section 4.2. @returns nothing for what is no SHA-256 in base64url */
export function readChallenge(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Of several spellings of the same bytes only the canonical one is accepted.
  return bytes.length === 32 && bytes.toString('base64url') === text ? bytes : undefined
}

/** Whether this is the text that a challenge was made of (RFC 7636 section 4.1). */
export function matchesChallenge(verifier: string, challenge: Buffer): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  return timingSafeEqual(createHash('sha256').update(verifier).digest(), challenge)
}
