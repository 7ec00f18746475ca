/** The network of a client: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177). */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [withoutZone] = address.split('%', 1)
  const { hostname } = new URL(`http://[${withoutZone}]`)
  const [before = '', after] = hostname.slice(1, -1).split('::')
  const groups = groupsOf(before)
  const zeros = after === undefined ? 0 : 8 - groups.length - groupsOf(after).length
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...groupsOf(after ?? '')]
  return `${all.slice(0, 4).join(':')}::/64`
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
