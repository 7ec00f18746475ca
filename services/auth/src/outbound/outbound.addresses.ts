import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

/** Resolves a name to all its addresses. */
export type Lookup = (
  name: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export interface Policy {
  readonly allowPrivateNetwork: boolean
  /** Whether loopback may be called, also by http. */
  readonly allowInsecure: boolean
}

const loopback = rangesOf('127.0.0.0/8', '::1/128')

/** RFC 1918, RFC 6598 and RFC 4193. */
const privateRanges = rangesOf(
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  'fc00::/7',
)

/**
 * Ranges without identity providers: unspecified, link-local (with the metadata services of clouds),
 * multicast, reserved; and IPv6 forms of IPv4 that lead elsewhere than they seem to.
 */
const blockedRanges = rangesOf(
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['fe80::/10', 'fec0::/10', 'ff00::/8', '2001::/32', '2002::/16'],
  // IPv4-compatible, with the unspecified address; NAT64 of a network (RFC 8215), by a prefix of any length.
  ...['::/96', '64:ff9b:1::/48'],
  // Metadata services of two clouds, within private ranges.
  ...['100.100.100.200/32', 'fd00:ec2::254/128'],
)

/** @returns why an address is blocked; `undefined` when it may be called */
export function blockReason(address: string, isPlain: boolean, policy: Policy): string | undefined {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  // First, because ::1 is also an IPv6 form of an IPv4 address.
  if (loopback.check(address, family)) {
    return policy.allowInsecure ? undefined : 'an address of this machine'
  }
  if (isPlain) return 'http to another machine'
  if (blockedRanges.check(address, family)) return 'an address that is never called'
  if (policy.allowPrivateNetwork) return undefined
  return privateRanges.check(address, family) ? 'a private address' : undefined
}

/**
 * Prevents SSRF: resolves a name and returns the addresses that may be called. It runs when the
 * connection is made, and its result is what is connected to, so DNS rebinding has no effect.
 *
 * @throws when the URL itself has a blocked address, or is neither https nor, where allowed, http
 */
export function guardedLookup(
  { hostname, protocol }: URL,
  policy: Policy,
  lookup: Lookup = systemLookup,
): LookupFunction {
  const isPlain = protocol === 'http:'
  if (protocol !== 'https:' && !(isPlain && policy.allowInsecure)) {
    throw new Error('only https is allowed')
  }
  const literal = hostname.replace(/^\[|\]$/g, '')
  const blocked = isIP(literal) === 0 ? undefined : blockReason(literal, isPlain, policy)
  if (blocked !== undefined) throw new Error(`${literal} is ${blocked}`)

  return (name, options, done) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const reasons = addresses.map(({ address }) => blockReason(address, isPlain, policy))
      const allowed = addresses.filter((_address, i) => reasons[i] === undefined)
      const [first] = allowed
      if (first === undefined) {
        done(new Error(`${name} is ${reasons[0] ?? 'without an address'}`), [])
      } else if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}

/** With the NAT64 forms of IPv4 ranges (RFC 6052), which end in the IPv4 address. */
function rangesOf(...ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/')
    if (isIPv6(address)) list.addSubnet(address, Number(bits), 'ipv6')
    else {
      list.addSubnet(address, Number(bits), 'ipv4')
      list.addSubnet(`64:ff9b::${address}`, 96 + Number(bits), 'ipv6')
    }
  }
  return list
}
