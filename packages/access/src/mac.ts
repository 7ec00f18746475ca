import { createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 in base64url: 43 characters. */
export function macOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/** Compares in constant time, and as text: base64url has several texts for the same bytes. */
export function isSameMac(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
