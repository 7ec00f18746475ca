import { randomFillSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isAddressWithin } from '@svc/access'

/** How many are made at a time: some kilobytes. */
const stock = 128

/** A UUID of version 4: `x` stands for any digit, `y` for 8, 9, a or b, the rest for itself. */
const form = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'
const forms = Buffer.from(form.repeat(stock))
const [anyDigit, variantDigit] = Buffer.from('xy')
const digits = Buffer.from('0123456789abcdef')

const ids: string[] = []

/** What identifies a request in logs and in its answer. */
export type RequestIdOf = (request: IncomingMessage) => string

/** What is believed as `X-Request-Id`; anything else could be made to look like other lines of a log. */
const sentId = /^[A-Za-z0-9-]{1,64}$/

/**
 * The id that a trusted proxy has given to a request, else a new one.
 *
 * @param trustedProxies their addresses, as CIDR
 */
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

/** A UUID of version 4. Made many at a time, which takes a fraction of the time for each. */
export function newRequestId(): string {
  if (ids.length === 0) makeIds()
  return ids.pop() ?? ''
}

function makeIds(): void {
  const bytes = randomFillSync(Buffer.allocUnsafe(forms.length))
  for (let i = 0; i < bytes.length; i++) {
    const place = forms[i] ?? 0
    const random = bytes[i] ?? 0
    if (place === anyDigit) bytes[i] = digits[random & 15] ?? 0
    else if (place === variantDigit) bytes[i] = digits[8 | (random & 3)] ?? 0
    else bytes[i] = place
  }
  const text = bytes.toString('latin1')
  for (let at = 0; at < text.length; at += form.length) ids.push(text.slice(at, at + form.length))
}
