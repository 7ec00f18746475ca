import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** The address of the client that sent a request; empty when a trusted proxy names none. */
export type AddressOf = (request: IncomingMessage) => string

interface Known {
  readonly forwarded: string
  readonly address: string
}

/**
 * The address of the peer or, when that is a trusted proxy, of the client that the proxy names. IPv4 in its
 * own form. Cached per connection, which also keeps the address of a client that has left.
 */
export function clientAddressBehind(trustedProxies: readonly string[]): AddressOf {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  const last = new WeakMap<Socket, Known>()
  return (request) => {
    const { socket, headers } = request
    const forwarded = String(headers['x-forwarded-for'] ?? '')
    const known = last.get(socket)
    if (known?.forwarded === forwarded) return known.address
    const address = toAddress(proxyAddr(request, isTrusted))
    last.set(socket, { forwarded, address })
    return address
  }
}

/** @returns empty for what is no address */
function toAddress(text = ''): string {
  // Some proxies also name the port.
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? []
  const [, dotted] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? []
  const address = (bracketed ?? dotted ?? text).replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  return isIP(address) === 0 ? '' : address
}
