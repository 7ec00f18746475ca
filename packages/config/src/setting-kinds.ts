import { isIPv4, isIPv6 } from 'node:net'
import { isAddressRange } from '@svc/access'
import { redactUrl, Secret } from '@svc/runtime'
import { RE2JS } from 're2js'
import { z } from 'zod'
import { parseDuration } from './durations.ts'

// Each kind reads text as well as its own type, for variables of the environment are always text.
// Messages never repeat the value: what was meant for another setting may be a password.

/** Go's durations end at about 292 years; a hundred of them stay within every date we compute. */
const longestMs = 876_000 * 3_600_000

export function bool() {
  const words = new Map([
    ['true', true],
    ['false', false],
  ])
  return z.preprocess(
    (value) =>
      typeof value === 'string' ? (words.get(value.trim().toLowerCase()) ?? value) : value,
    z.boolean({ error: 'must be true or false' }),
  )
}

export function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value),
    z.int({ error }).min(min, { error }).max(max, { error }),
  )
}

/** In whole milliseconds, more than 0 unless `atLeastMs` is 0. */
export function duration(atMostMs = longestMs, atLeastMs = 1) {
  const demand = 'must be a duration such as 500ms, 30m or 1h30m'
  return z
    .string({
      error: ({ input }) =>
        typeof input === 'number' ? `${demand}, for a plain number lacks its unit` : demand,
    })
    .transform((text, context) => {
      const parsed = parseDuration(text.trim())
      const rounded = Math.round(parsed ?? 0)
      if (parsed !== undefined && rounded >= atLeastMs && rounded <= atMostMs) return rounded
      const least = atLeastMs === 0 ? '0s or more' : 'more than 0'
      const limit = `must be ${least} and at most ${Math.floor(atMostMs / 3_600_000)}h`
      context.addIssue({ code: 'custom', message: parsed === undefined ? demand : limit })
      return z.NEVER
    })
}

export function oneOf<const T extends readonly string[]>(...names: T) {
  const error = `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return z.string({ error }).trim().toLowerCase().pipe(z.enum(names, { error }))
}

/** @param demand what the text must be, as it goes on from `must be` */
export function text(demand: string, isValid: (text: string) => boolean) {
  return z
    .string({ error: ({ input }) => mustBe(demand, input) })
    .refine(isValid, { error: `must be ${demand}` })
}

function mustBe(demand: string, input: unknown): string {
  return `must be ${demand}${isQuotable(input) ? ', in quotes' : ''}`
}

function isQuotable(input: unknown): boolean {
  return typeof input === 'number' || typeof input === 'boolean'
}

/** Takes a list, or text with spaces or commas between the items. */
export function listOf(item: z.ZodType<string>) {
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value),
    z.array(item, { error: 'must be a list' }),
  )
}

/** Takes texts by name. The names are those of metadata, which are stored as they stand. */
export function textMap(maxEntries: number, maxBytes: number) {
  const demand = 'must hold "key: text" lines'
  const value = z.string({
    error: ({ input }) => (isQuotable(input) ? `${demand}, with the texts in quotes` : demand),
  })
  return z
    .record(z.string(), value, { error: demand })
    .refine((map) => Object.keys(map).every((key) => /^[a-z0-9][a-z0-9._/-]*$/.test(key)), {
      error: 'must have keys of letters, digits or any of . _ / -',
    })
    .refine(
      (map) => {
        const texts = Object.entries(map).flat()
        const isSmall = Buffer.byteLength(texts.join('')) <= maxBytes
        return isSmall && texts.length <= 2 * maxEntries && !texts.join('').includes('\0')
      },
      { error: `must have at most ${maxEntries} entries and ${maxBytes} bytes, none of them 0` },
    )
}

export function host() {
  return text('the name or IP address of an interface, without a port', isHost)
}

/** Where to listen: the port may be 0 for any free one. */
export function listenAddress() {
  return text('host:port, such as 127.0.0.1:9001 or [::1]:9001', (text) => isHostPort(text, 0))
}

/** Where to connect, as gRPC names it: one address, or a name that stands for several. */
export function target() {
  return text('host:port, dns:///host:port or ipv4:address:port,address:port', (text) => {
    const [, scheme, rest = ''] = /^(?:(dns:(?:\/\/\/)?|ipv4:|ipv6:))?(.*)$/s.exec(text) ?? []
    const several = scheme === 'ipv4:' || scheme === 'ipv6:'
    return (several ? rest.split(',') : [rest]).every((address) => isHostPort(address, 1))
  })
}

/** An origin exactly as browsers send it, or comparing the two would never succeed. */
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

export function secretText(minLength: number, maxLength: number) {
  return z.string({ error: ({ input }) => mustBe('text', input) }).transform((value, context) => {
    const wrong = wrongWith(value, minLength, maxLength)
    if (wrong === undefined) return new Secret(value)
    context.addIssue({ code: 'custom', message: wrong })
    return z.NEVER
  })
}

function wrongWith(value: string, minLength: number, maxLength: number): string | undefined {
  if (value.length < minLength) return `must have at least ${minLength} characters`
  if (value.length > maxLength) return `must have at most ${maxLength} characters`
  // What a header can carry: RFC 9110 forbids line breaks, and clients trim spaces.
  const isVisible = /^[\x21-\x7e]*$/.test(value)
  return isVisible ? undefined : 'must be visible ASCII characters, without spaces or line breaks'
}

export function secretUrl(example: string, ...schemes: readonly string[]) {
  const demand = `a URL such as ${example}, with special characters in the password as %XX`
  return text(demand, (text) => isServerUrl(text, schemes)).transform(
    (url) => new Secret(url, redactUrl(url)),
  )
}

function isServerUrl(text: string, schemes: readonly string[]): boolean {
  // A # that was not encoded ends the password early, and everything after it is silently lost.
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

/** A URL to call or to send browsers to; whether http will do is for {@link findConflicts}. */
export function outboundUrl() {
  return text('a URL such as https://host or https://host/path', isPlainUrl)
}

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}

export function path() {
  return text('the path of a file', (value) => value !== '' && !value.includes('\0'))
}

/** An address, or a range of them in CIDR. */
export function addressRange() {
  return text('an IP address or a range such as 10.0.0.0/8', isAddressRange)
}

/** A regular expression of RE2, which takes linear time whatever it is held against. */
export function pattern() {
  return text('a regular expression of RE2', isPattern)
}

function isPattern(text: string): boolean {
  try {
    return text.length <= 1000 && RE2JS.compile(text) !== undefined
  } catch {
    return false
  }
}

/** Takes lists of texts by name. */
export function textList(maxEntries: number, maxBytes: number) {
  const item = z.string({ error: 'must hold "key: [text, text]" lines' }).min(1)
  return z
    .record(z.string(), listOf(item), { error: 'must hold "key: [text, text]" lines' })
    .refine((map) => Object.keys(map).every((key) => /^[a-z0-9][a-z0-9._-]*$/.test(key)), {
      error: 'must have keys of letters, digits or any of . _ -',
    })
    .refine(
      (map) => Object.keys(map).length <= maxEntries && JSON.stringify(map).length <= maxBytes,
      { error: `must have at most ${maxEntries} entries and ${maxBytes} bytes` },
    )
}

/** How many of a kind, each with settings of its own, such as OpenID providers. */
const maxSections = 64

/** Sections by names that the operator chooses. */
export function namedSections<T extends z.ZodObject>(section: T) {
  return z
    .record(z.string().regex(/^[a-z0-9_-]{1,64}$/), section)
    .refine((sections) => Object.keys(sections).length <= maxSections, {
      error: `has more than ${maxSections} sections`,
    })
    .prefault({})
    .meta({ section })
}
