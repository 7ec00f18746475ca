import { createHmac } from 'node:crypto'

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
