import { isIPv4, isIPv6 } from 'node:net'
import { isAddressRange } from '@svc/access'
import { z } from 'zod'
import { text } from './values.ts'

export function host() {
  return text('the name or IP address of an interface, without a port', isHost)
}

/** An address to listen on; port 0 takes any free one. */
export function listenAddress() {
  return text('host:port, such as 127.0.0.1:9001 or [::1]:9001', (text) => isHostPort(text, 0))
}

/** A gRPC target: one address, or a name that resolves to several. */
export function target() {
  return text('host:port, dns:///host:port or ipv4:address:port,address:port', (text) => {
    const [, scheme, rest = ''] = /^(?:(dns:(?:\/\/\/)?|ipv4:|ipv6:))?(.*)$/s.exec(text) ?? []
    const several = scheme === 'ipv4:' || scheme === 'ipv6:'
    return (several ? rest.split(',') : [rest]).every((address) => isHostPort(address, 1))
  })
}

/** An origin exactly as browsers send it; in another spelling the comparison never succeeds. */
export function origin() {
  const demand = 'an origin as browsers send it: scheme://host[:port], no path or final slash'
  return z
    .string({ error: `must be ${demand}` })
    .refine((text) => text !== '*', {
      error: 'cannot be "*", for browsers send cookies along; list the origins instead',
      abort: true,
    })
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
      { error: `must be ${demand}` },
    )
}

export function headerName() {
  return text('the name of a header', (text) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(text))
}

/** A URL to call or to redirect browsers to. Whether http is allowed, the requirements say. */
export function outboundUrl() {
  return text('a URL such as https://host or https://host/path', isPlainUrl)
}

/** An address, or a range of them in CIDR. */
export function addressRange() {
  return text('an IP address or a range such as 10.0.0.0/8', isAddressRange)
}

function isHostPort(text: string, lowestPort: number): boolean {
  const [, bracketed, name = '', port] = /^(?:\[([^[\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  const known = bracketed === undefined ? isHost(name) : isIPv6(bracketed)
  return known && Number(port) >= lowestPort && Number(port) <= 65_535
}

function isHost(text: string): boolean {
  if (isIPv6(text) || isIPv4(text)) return true
  // Underscores are no part of a host name but are common in the names of Compose services.
  const labels =
    /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_-]+)*\.?$/
  return labels.test(text) && !/^[\d.]+$/.test(text)
}

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}
