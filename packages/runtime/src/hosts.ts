/**
 * Splits a URL that lists several hosts, as libpq has it: `postgres://user:password@a:5432,b:5433/name`.
 *
 * @returns a URL for each host, in their order; the URL itself where it has one host
 */
export function splitHosts(url: string): string[] {
  const start = url.indexOf('://') + '://'.length
  const end = start + url.slice(start).search(/[/?#]|$/)
  const hostsAt = Math.max(start, url.lastIndexOf('@', end - 1) + 1)
  const hosts = url.slice(hostsAt, end).split(',')
  return hosts.map((host) => url.slice(0, hostsAt) + host + url.slice(end))
}
