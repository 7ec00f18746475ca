import { isIPv4, isIPv6 } from 'node:net'
import { isAddressRange } from '@svc/access'
import { Secret, splitHosts } from '@svc/runtime'
import { z } from 'zod'
import { mustBe, text } from './values.ts'

export function host() {
  return text('the name or IP address of an interface, without a port', isHost, hostShape)
}

/** A name, or an address of either family. */
const hostShape = '^[A-Za-z0-9_.:%-]+$'
const portShape = '(\\[[^\\[\\]]*\\]|[^:\\[\\]/]+):\\d{1,5}'

/** An address to listen on; port 0 takes any free one. */
export function listenAddress() {
  const demand = 'host:port, such as 127.0.0.1:9001 or [::1]:9001'
  return text(demand, (text) => isHostPort(text, 0), `^${portShape}$`)
}

/** A gRPC target: one address, or a name that resolves to several. */
export function target() {
  const isTarget = (text: string) => {
    const [, scheme, rest = ''] = /^(?:(dns:(?:\/\/\/)?|ipv4:|ipv6:))?(.*)$/s.exec(text) ?? []
    const several = scheme === 'ipv4:' || scheme === 'ipv6:'
    return (several ? rest.split(',') : [rest]).every((address) => isHostPort(address, 1))
  }
  const demand = 'host:port, dns:///host:port or ipv4:address:port,address:port'
  return text(demand, isTarget, `^(dns:(///)?|ipv4:|ipv6:)?${portShape}(,${portShape})*$`)
}

/** An origin exactly as browsers send it; in another spelling the comparison never succeeds. */
export function origin() {
  const error =
    'must be an origin as browsers send it: scheme://host[:port], no path or final slash'
  return z
    .string({ error })
    .refine((text) => text !== '*', {
      error: 'cannot be "*", for browsers send cookies along; list the origins instead',
      abort: true,
    })
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
      { error },
    )
    .meta({ input: { type: 'string', pattern: '^https?://[^/\\s]+$' } })
}

export function headerName() {
  const shape = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$"
  return text('the name of a header', (text) => new RegExp(shape).test(text), shape)
}

/** A URL to call or to redirect browsers to. Whether http is allowed, the requirements say. */
export function outboundUrl() {
  const shape = '^https?://[\\x21-\\x7e]+$'
  const isUrl = (text: string) => {
    if (!new RegExp(shape).test(text) || !URL.canParse(text)) return false
    const { username, password, search, hash } = new URL(text)
    return username === '' && password === '' && search === '' && hash === ''
  }
  return text('a URL such as https://host or https://host/path', isUrl, shape)
}

/** An address, or a range of them in CIDR. */
export function addressRange() {
  const shape = '^[0-9A-Fa-f:.]+(/\\d{1,3})?$'
  return text('an IP address or a range such as 10.0.0.0/8', isAddressRange, shape)
}

/**
 * What a header can carry: RFC 9110 forbids line breaks, and clients trim spaces.
 *
 * @param variable what documents show: `${CLIENT_SECRET}`
 */
export function secretText(minLength: number, maxLength: number, variable: string) {
  return z
    .string({ error: ({ input }) => mustBe('text', input) })
    .refine((value) => value.length >= minLength, {
      error: `must have at least ${minLength} characters`,
    })
    .refine((value) => value.length <= maxLength, {
      error: `must have at most ${maxLength} characters`,
    })
    .refine((value) => /^[\x21-\x7e]*$/.test(value), {
      error: 'must be visible ASCII characters, without spaces or line breaks',
    })
    .transform((value) => new Secret(value))
    .optional()
    .meta({ secret: true, example: `\${${variable}}` })
}

/** Several of them, in a list or with spaces or line breaks between them. */
export function secretTexts(minLength: number, maxLength: number, variable: string) {
  const item = secretText(minLength, maxLength, variable).unwrap()
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value),
      z.array(item, { error: 'must be a list' }),
    )
    .prefault([])
    .meta({ secret: true })
}

/** The URL of a server, which may have a password in it. */
export function secretUrl(example: string, ...schemes: readonly string[]) {
  const demand = `a URL such as ${example}, with special characters in the password as %XX`
  return text(demand, (text) => isServerUrl(text, schemes))
    .transform((url) => new Secret(url))
    .optional()
    .meta({ secret: true })
}

/** Maximum hosts of a database: each that does not answer takes 1.5 s of a connect. */
const maxHosts = 5

/** What a service needs: `any`, which is the default of libpq, would take a standby. */
const sessionAttributes = ['read-write', 'primary']

/** The URL of a PostgreSQL, or of several of which one is the primary, as libpq lists them. */
export function databaseUrl(user: string) {
  const example = `postgres://${user}:password@host:5432/name`
  const demand = `a URL such as ${example}, with special characters in the password as %XX`
  return z
    .string({ error: ({ input }) => mustBe(demand, input) })
    .superRefine((url, { addIssue }) => {
      const [message] = databaseUrlProblems(url, demand)
      if (message !== undefined) addIssue({ code: 'custom', message })
    })
    .meta({ input: { type: 'string' } })
    .transform((url) => new Secret(url))
    .optional()
    .meta({ secret: true })
}

function* databaseUrlProblems(url: string, demand: string): Generator<string> {
  const schemes = ['postgres', 'postgresql']
  const hosts = splitHosts(url)
  if (!hosts.every((one) => isServerUrl(one, schemes))) yield `must be ${demand}`
  if (hosts.length > maxHosts) yield `must list at most ${maxHosts} hosts`
  const { searchParams } = new URL(hosts[0] ?? '')
  const byParameter = [...searchParams.getAll('host'), ...searchParams.getAll('port')]
  const isNamed = hosts.length === 1 || hosts.every((one) => new URL(one).hostname !== '')
  if (byParameter.some((names) => names.includes(',') || hosts.length > 1) || !isNamed) {
    yield 'must list its hosts before the path: postgres://user:password@a:5432,b:5432/name'
  }
  const attributes = searchParams.getAll('target_session_attrs')
  if (!attributes.every((name) => sessionAttributes.includes(name))) {
    yield `must have target_session_attrs=${sessionAttributes.join(' or ')}, if any: services write`
  }
}

function isServerUrl(text: string, schemes: readonly string[]): boolean {
  // A # that is not encoded ends the password early, and the rest is silently lost.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return false
  const url = new URL(text)
  const hasHost = url.hostname !== '' || url.searchParams.has('host')
  return hasHost && schemes.includes(url.protocol.slice(0, -1))
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
