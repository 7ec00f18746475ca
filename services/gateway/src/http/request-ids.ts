import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isAddressWithin } from '@svc/access'

/** What identifies a request in logs and in its answer. */
export type RequestIdOf = (request: IncomingMessage) => string

/** What is accepted as `X-Request-Id`; anything else could be made to look like other lines of a log. */
const sentId = /^[A-Za-z0-9-]{1,64}$/

/** The id that a trusted proxy, given as CIDR, has set, else a new one. */
export function requestIdsBehind(trustedProxies: readonly string[]): RequestIdOf {
  if (trustedProxies.length === 0) return () => randomUUID()
  return ({ headers, socket }) => {
    const sent = headers['x-request-id']
    const isBelieved =
      typeof sent === 'string' &&
      sentId.test(sent) &&
      isAddressWithin(trustedProxies, socket.remoteAddress ?? '')
    return isBelieved ? sent : randomUUID()
  }
}
