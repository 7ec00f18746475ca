import { createHmac } from 'node:crypto'

/**
 * What proves, without showing a token, that its holder asked for the events of a namespace. Gateways
 * put it into URLs for clients that cannot send headers; it is good for nothing else, and for as long
 * as the token is. Who has a token or its hash can make it, and who sees it can make neither of it.
 *
 * @param tokenHash SHA-256 of the token
 */
export function ticketMac(tokenHash: Uint8Array, namespaceKey: string): Buffer {
  return createHmac('sha256', tokenHash).update(`ofrep-events:${namespaceKey}`).digest()
}
