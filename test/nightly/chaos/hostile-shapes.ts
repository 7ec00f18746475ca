import { expand, readFixture } from '../../support/fixtures.ts'

/** A request as it goes over the wire: target and headers have one character a byte. */
export interface RequestForm {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: () => string | Buffer
}

/** A request that is made to cost much, and one of the same length that is not. */
export interface HostileShape {
  readonly name: string
  readonly hostile: RequestForm
  readonly harmless: RequestForm
}

/** A text that is repeated, or one between two others. */
type Fill = string | readonly [before: string, text: string, after: string]
type Fills = Readonly<Record<string, Fill>>

interface Head {
  readonly length: number
  readonly header: string
  readonly text: Fill
  readonly beside?: Readonly<Record<string, string>>
}

type Kind = 'bodies' | 'forms' | 'headers' | 'cookies' | 'tokens' | 'parts' | 'claims'
const fixture = readFixture<
  Record<Kind | 'jwtHeaders' | 'urls' | 'queries', Fills> & { heads: Record<string, Head> }
>('hostile-shapes')

const counters: Readonly<Record<string, (n: number) => string>> = {
  n: String,
  n36: (n) => n.toString(36),
  wide: (n) => String(n).padStart(60, 'a'),
  colliding: (n) => String(n * 2 ** 20).padStart(10, '1'),
}
const counter = /<(n|n36|wide|colliding)(?:\*(\d+))?(?:\+(\d+))?>/g

/**
 * A text of exactly so many characters, those around it included.
 *
 * @param isWhole whether no piece is cut: then spaces fill it up, and bytes count
 */
function fill(shape: Fill, length: number, isWhole = false): string {
  const parts = typeof shape === 'string' ? ['', shape, ''] : shape
  const [before = '', text = '', after = ''] = parts.map(expand)
  const rest = length - before.length - after.length
  return (
    before + (text.search(counter) < 0 ? repeat(text, rest, isWhole) : count(text, rest)) + after
  )
}

function repeat(text: string, length: number, isWhole: boolean): string {
  if (!isWhole) return text.repeat(Math.ceil(length / text.length)).slice(0, length)
  const bytes = Buffer.byteLength(text)
  const times = Math.floor(length / bytes)
  return text.repeat(times) + ' '.repeat(length - times * bytes)
}

/** Something new each time, then spaces. */
function count(text: string, length: number): string {
  let all = ''
  for (let n = 0; ; n++) {
    const next = text.replace(counter, (_, name: string, times = '1', from = '0') =>
      String(counters[name]?.((n + Number(from)) * Number(times))),
    )
    if (all.length + next.length > length) return all.padEnd(length)
    all += next
  }
}

/** All headers together may have 16 KiB; those that belong to the request need some of it. */
const headerLength = 15_000

/** What the gateway reads of cookies, and what it takes of tokens and of URLs. */
const cookieLength = 8000
const tokenLength = 4096
const urlLength = 4096

const flags = '/api/v1/namespaces/default/flags'

/** Needs no credential, and passes on the cookies of logins. */
const methods = '/auth/v1/method'

function request(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: () => Buffer,
): RequestForm {
  return { method: body === undefined ? 'GET' : 'POST', target, headers, body: body ?? (() => '') }
}

function shapesOf<T>(
  what: string,
  fills: Readonly<Record<string, T>>,
  toForms: (fill: T) => Omit<HostileShape, 'name'>,
): HostileShape[] {
  return Object.entries(fills).map(([name, one]) => ({ name: `${what}: ${name}`, ...toForms(one) }))
}

/** Those that are read before it is known who is calling, or that look as if they were. */
const headers = [
  ...['accept', 'accept-encoding', 'authorization', 'content-type', 'cookie', 'forwarded', 'host'],
  ...['origin', 'x-forwarded-for', 'x-request-id', 'x-svc-min-revision', 'x-svc-namespace'],
].flatMap((header) =>
  shapesOf(header, fixture.headers, (one) => ({
    hostile: request(flags, { [header]: fill(one, headerLength) }),
    harmless: request(flags, { [header]: 'a'.repeat(headerLength) }),
  })),
)

/** With a length that is read to its end, or is just too much. */
const cookies = [flags, methods].flatMap((target) =>
  shapesOf(target === flags ? 'cookies' : 'cookies of a login', fixture.cookies, (one) => ({
    hostile: request(target, { cookie: fill(one, cookieLength) }),
    harmless: request(target, { cookie: fill(['svc_client_token=', 'a', ''], cookieLength) }),
  })),
)

const encode = (text: string) => Buffer.from(text).toString('base64url')
const toJwt = (header: string, claims: string) => [header, claims, 'sig'].map(encode).join('.')
const mapFills = (fills: Fills, toToken: (fill: Fill) => string) =>
  Object.fromEntries(Object.entries(fills).map(([name, one]) => [name, toToken(one)]))

const tokens = Object.entries({
  'a token': mapFills(fixture.tokens, (one) => fill(one, tokenLength)),
  'parts of': mapFills(fixture.parts, (one) => Array(3).fill(fill(one, 2700)).join('.')),
  'claims of': mapFills(fixture.claims, (one) =>
    toJwt('{"alg":"ES256","kid":"one"}', fill(one, 5000)),
  ),
  'a header of': mapFills(fixture.jwtHeaders, (one) =>
    toJwt(fill(one, 4000), '{"iss":"https://ci.example"}'),
  ),
}).flatMap(([what, all]) => [
  ...shapesOf(what, all, (token) => ({
    hostile: request(flags, { authorization: `Bearer ${token}` }),
    harmless: request(flags, { authorization: `Bearer ${harmlessToken(token.length)}` }),
  })),
  ...shapesOf(`${what}, in a cookie`, all, (token) => ({
    hostile: request(flags, { cookie: `svc_client_token=${token}` }),
    harmless: request(flags, { cookie: `svc_client_token=${'a'.repeat(token.length)}` }),
  })),
])

/** One that is asked about as well, where there may be one of that length. */
function harmlessToken(length: number): string {
  if (length <= tokenLength) return 'a'.repeat(length)
  return `eyJhbGciOiJF.${'a'.repeat(length - 24)}.abcdefghij`
}

const urls = [urlLength, headerLength].flatMap((length) => [
  ...shapesOf(`a URL of ${length}`, fixture.urls, (one) => ({
    hostile: request(fill(one, length)),
    // To decode escapes takes twice as long as to see that there are none.
    harmless: request(fill(['/', fill(one, length).includes('%25') ? '%61' : 'a', ''], length)),
  })),
  ...shapesOf(`a query of ${length}`, fixture.queries, (one) => ({
    hostile: request(`${flags}?${fill(one, length - flags.length - 1)}`),
    harmless: request(fill([`${flags}?a=`, 'b', ''], length)),
  })),
])

/** Heads that the parser of HTTP refuses, or that have as many headers as it takes. */
const many = (count: number, length: number, value = '') => ({
  length,
  headers: Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, value])),
})
const heads = Object.entries({
  '90 headers': many(90, 13_900, 'b'.repeat(150)),
  '90 headers without a value': many(90, 500),
  '110 headers': many(110, 900, 'b'),
  '2,000 headers': many(2000, 15_000),
  'a long name': { length: headerLength, headers: { ['a'.repeat(headerLength)]: 'b' } },
  'a long name, too long': { length: 17_000, headers: { ['a'.repeat(17_000)]: 'b' } },
  ...Object.fromEntries(
    Object.entries(fixture.heads).map(([name, { length, header, text, beside }]) => [
      name,
      { length, headers: { ...beside, [header]: fill(text, length) } },
    ]),
  ),
}).map(([name, { length, headers }]) => ({
  name: `a head: ${name}`,
  hostile: request(flags, headers),
  harmless: request(flags, { a: 'a'.repeat(length) }),
}))

/** What applications send: a batch of questions, with what they know of an entity. */
const attributes = Array.from({ length: 20 }, (_, i) => [
  `attribute${i}`,
  `what is known of it, ${i}`,
])
const question = JSON.stringify({
  flagKey: 'checkout',
  entityId: 'user-42',
  context: Object.fromEntries(attributes),
})
function usualBody(length: number): string {
  const count = Math.floor((length - 15) / (question.length + 1))
  return `{"requests":[${Array(count).fill(question).join()}]}`.padEnd(length)
}

/** By the URL of a route, how much it takes; what logs in is read without any credential. */
const bodyLengths: Readonly<Record<string, number>> = {
  '/evaluate/v1/batch': 2 ** 20,
  '/ofrep/v1/evaluate/flags': 2 ** 20,
  '/api/v1/namespaces/default/flags': 4 * 2 ** 20,
  '/auth/v1/session': 64 * 1024,
}
const bytes = (text: string, length: number) => Buffer.from(text).subarray(0, length)
const json = { 'content-type': 'application/json' }
const bodies = Object.entries(bodyLengths).flatMap(([target, length]) =>
  shapesOf(`a body for ${target}`, fixture.bodies, (one) => ({
    hostile: request(target, json, () => bytes(fill(one, length, true), length)),
    harmless: request(target, json, () => bytes(usualBody(length), length)),
  })),
)

const logout = '/auth/v1/method/oidc/accounts/backchannel-logout'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const formLength = 16 * 1024
const forms = shapesOf('a form', fixture.forms, (one) => ({
  hostile: request(logout, form, () => bytes(fill(one, formLength), formLength)),
  harmless: request(logout, form, () =>
    Buffer.from(fill(['logout_token=aaaa.', 'a', '.aaaa'], formLength)),
  ),
}))

export const shapes = [headers, cookies, tokens, urls, heads, bodies, forms].flat()
