import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isAddressWithin } from '@svc/access'

/** What identifies a request in logs and in its answer. */
export type RequestIdOf = (request: IncomingMessage) => string

/** What is accepted as `X-Request-Id`; anything else could be made to look like other lines of a log. */
const sentId = /^[A-Za-z0-9-]{1,64}$/

/** The id that a trusted proxy, given as CIDR, has set, else a new one. */
export function requestIdsBehind(trustedProxies: readonly string[]): RequestIdOf {
  if (trustedProxies.length === 0) return newRequestId
  return ({ headers, socket }) => {
    const sent = headers['x-request-id']
    const isBelieved =
      typeof sent === 'string' &&
      sentId.test(sent) &&
      isAddressWithin(trustedProxies, socket.remoteAddress ?? '')
    return isBelieved ? sent : newRequestId()
  }
}

/** The beginning of the next ids, with 74 random bits, and their ends, with 48 each. */
let prefix = ''
let ends = ''

/** A UUID of two texts; `randomUUID` joins twenty, which takes a twentieth of a request. */
function newRequestId(): string {
  if (ends === '') {
    prefix = randomUUID().slice(0, 24)
    ends = randomBytes(6 * 256).toString('hex')
  }
  const id = prefix + ends.slice(-12)
  ends = ends.slice(0, -12)
  return id
}
