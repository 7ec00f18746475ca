import { BlockList, isIP } from 'node:net'

/** Whether a text is an IP address or a range in CIDR notation: `203.0.113.7`, `2001:db8::/32`. */
export function isAddressRange(text: string): boolean {
  const [, address = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return false
  return length === undefined || Number(length) <= bitsOf(version)
}

/** Cache by ranges: each request of a token checks the same ones. */
const lists = new WeakMap<readonly string[], BlockList>()

/**
 * Whether an address is within one of the ranges. Also accepts IPv4 addresses mapped to IPv6, as
 * dual-stack sockets have them.
 *
 * @param ranges valid by {@link isAddressRange}; must not change
 */
export function isAddressWithin(ranges: readonly string[], address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  let list = lists.get(ranges)
  if (list === undefined) {
    list = toList(ranges)
    lists.set(ranges, list)
  }
  return list.check(address, nameOf(version))
}

function toList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', length] = range.split('/')
    const version = isIP(address)
    list.addSubnet(address, Number(length ?? bitsOf(version)), nameOf(version))
  }
  return list
}

function bitsOf(version: number): number {
  return version === 4 ? 32 : 128
}

function nameOf(version: number) {
  return version === 4 ? 'ipv4' : 'ipv6'
}
