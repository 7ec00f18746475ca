import { createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 in base64url: 43 characters. */
export function macOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/**
 * Whether they are the same, character by character: base64url has several texts for the same bytes.
 * Takes as long whatever they have in common.
 */
export function isSameMac(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
