import { isIPv6 } from 'node:net'

/** @returns the URL of a gateway for this machine, without a path */
export function gatewayUrl(host: string, port: number): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)) return `http://localhost:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
