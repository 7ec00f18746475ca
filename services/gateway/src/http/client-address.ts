import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Where a request comes from: the other end of the connection or, when that is a proxy of
 * `server.trusted_proxies`, who it says it speaks for. IPv4 in its own form.
 *
 * @returns empty when a trusted proxy says something that is no address
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  // Some proxies name the port as well.
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(ip) ?? []
  const [, dotted] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(ip) ?? []
  const address = (bracketed ?? dotted ?? ip).replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  return isIP(address) === 0 ? '' : address
}
