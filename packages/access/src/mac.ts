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

/**
 * MAC of a ticket: it lets the holder of a token open the events of a namespace, without showing the
 * token. Gateways put it into URLs for clients that cannot send headers. It is valid as long as the token,
 * and reveals neither the token nor its hash.
 *
 * @param tokenHash SHA-256 of the token
 */
export function ticketMac(tokenHash: Uint8Array, namespaceKey: string): Buffer {
  return createHmac('sha256', tokenHash).update(`ofrep-events:${namespaceKey}`).digest()
}
