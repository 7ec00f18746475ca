import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

/** Finds all addresses of a name. */
export type Lookup = (
  name: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

interface Policy {
  readonly allowPrivateNetwork: boolean
  /** Whether this machine may be called, by http as well. */
  readonly allowInsecure: boolean
}

const thisMachine = rangesOf('127.0.0.0/8', '::1/128')

/** RFC 1918, RFC 6598 and RFC 4193. */
const privateRanges = rangesOf(
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  'fc00::/7',
)

/**
 * Where nobody is who logs people in: unspecified, link-local (among them the addresses by which
 * clouds tell machines their secrets), multicast, reserved; and ways to write IPv4 in IPv6 that
 * lead elsewhere than they seem to.
 */
const neverCalled = rangesOf(
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', 'fe80::/10', 'fec0::/10', 'ff00::/8', '2001::/32', '2002::/16'],
  // Metadata of two clouds, in ranges that are private otherwise.
  ...['100.100.100.200/32', 'fd00:ec2::254/128'],
)

/** Why an address may not be called, or nothing when it may. */
export function findFault(address: string, isPlain: boolean, policy: Policy): string | undefined {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  // Before all else: ::1 is also one of the ways to write an IPv4 address.
  if (thisMachine.check(address, family)) {
    return policy.allowInsecure ? undefined : 'an address of this machine'
  }
  if (isPlain) return 'http to another machine'
  if (neverCalled.check(address, family)) return 'an address that is never called'
  if (policy.allowPrivateNetwork) return undefined
  return privateRanges.check(address, family) ? 'a private address' : undefined
}

/**
 * Looks a name up and hands on the addresses that may be called. As it is asked when the connection
 * is made, and what it answers is what is connected to, a name cannot mean something else later.
 *
 * @throws when the URL has an address that may not be called, which nobody would look up, or is
 *   neither https nor, where that is allowed, http
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
  const fault = isIP(literal) === 0 ? undefined : findFault(literal, isPlain, policy)
  if (fault !== undefined) throw new Error(`${literal} is ${fault}`)

  return (name, options, done) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const allowed = addresses.filter(
        ({ address }) => findFault(address, isPlain, policy) === undefined,
      )
      const [first] = allowed
      if (first === undefined) return done(new Error(`${name} is ${faultsOf(addresses)}`), [])
      if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })

    function faultsOf(addresses: readonly LookupAddress[]): string {
      const faults = addresses.map(({ address }) => findFault(address, isPlain, policy))
      return faults[0] ?? 'without an address'
    }
  }
}

/** Also as NAT64 writes them (RFC 6052): there, an IPv4 address is the end of an IPv6 one. */
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
