import { createHash, createHmac } from 'node:crypto'
import { createTestDatabase } from '@svc/database/testing'
import { CreateFlagRequest, GetFlagRequest, ListFlagsRequest } from '@svc/proto/resource/v1/flags'
import { GetNamespaceRequest, ListNamespacesRequest } from '@svc/proto/resource/v1/namespaces'
import { startResource } from '@svc/resource'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { databaseEnv } from '../support/pooled.ts'
import { openRawRpc } from '../support/raw-rpc.ts'
import { loadEnv } from '../support/settings.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
const key = 'the-assertion-key-of-this-test-0123456789'
const previousKey = 'the-one-before-it-in-this-test-0123456789'

const idOf = (secret: string) =>
  createHash('sha256').update(`svc-assertion:${secret}`).digest('base64url').slice(0, 8)
const macOf = (text: string, secret: string) =>
  createHmac('sha256', secret).update(text).digest('base64url')
const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64url')

function payloadOf(change: Readonly<Record<string, unknown>> = {}) {
  const iat = Date.now()
  return {
    v: 1,
    kid: idOf(key),
    aud: 'resource',
    tid: 'b7a1',
    method: 'METHOD_TOKEN',
    sub: 'ci',
    ns: null,
    iat,
    exp: iat + 150_000,
    ...change,
  }
}

/** By hand, as a program would that knows the key and not our code. */
function signed(payload: unknown, secret = key): string {
  const text = encode(payload)
  return `${text}.${macOf(text, secret)}`
}

const good = () => signed(payloadOf())

/** The same bytes for a lenient reader of base64url: the last character has bits to spare. */
function withSpareBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return text.slice(0, -1) + alphabet.charAt(alphabet.indexOf(text.slice(-1)) ^ 1)
}

type Forgery = readonly [what: string, make: () => string]

/** Values of one field that make a signed assertion none. */
const oddValues: Readonly<Record<string, readonly unknown[]>> = {
  v: [0, 2, '1', null, undefined],
  kid: ['', idOf(previousKey), idOf('x'), 1, null, undefined],
  aud: ['', 'auth', 'gateway', 'Resource', 'resource ', ['resource'], null, undefined],
  ns: [undefined, 0, false, [], {}, ['shop']],
  iat: [undefined, null, '0', 1.5, Number.MAX_VALUE],
  exp: [undefined, null, '9999999999999', 0, Date.now() - 1],
  tid: [undefined, null, 1],
  pid: [null, 1, {}],
  sub: [undefined, null, {}],
  method: [undefined, null, 7],
}

/** Changes of a payload after it was signed. */
const alterations: Readonly<Record<string, unknown>> = {
  v: 2,
  kid: idOf(previousKey),
  aud: 'auth',
  tid: 'another',
  pid: 'another',
  method: 'METHOD_OIDC',
  sub: 'admin',
  ns: 'shop',
  iat: Date.now() + 500,
  exp: Date.now() + 600_000,
  more: true,
}

const agedMs = (ageMs: number) => ({
  iat: Date.now() - ageMs,
  exp: Date.now() - ageMs + 150_000,
})

/** The signature of one payload under another. */
const swapped = (shown: unknown, signedOne: unknown) =>
  `${encode(shown)}.${macOf(encode(signedOne), key)}`

/** A good assertion with another character `i` of its signature. */
function withAnother(i: number): string {
  const assertion = good()
  const at = assertion.length - 43 + i
  return assertion.slice(0, at) + (assertion[at] === 'A' ? 'B' : 'A') + assertion.slice(at + 1)
}

/** What auth has not said, each made when it is sent. */
const forgeries: readonly Forgery[] = [
  ...['', '.', '..', 'x', 'a.b', 'null.null', `${'A'.repeat(9000)}.x`, '{}', 'e30.'].map(
    (text): Forgery => [`no assertion: ${text.slice(0, 20)}`, () => text],
  ),
  ...[{}, [], null, 1, 'x', { v: 1 }, [payloadOf()]].map(
    (payload): Forgery => [`signed, but none: ${JSON.stringify(payload)}`, () => signed(payload)],
  ),
  ...Object.entries(alterations).map(
    ([field, value]): Forgery => [
      `${field} altered`,
      () => swapped(payloadOf({ [field]: value }), payloadOf()),
    ],
  ),
  ...Object.entries(oddValues).flatMap(([field, values]) =>
    values.map(
      (value): Forgery => [
        `${field} is ${JSON.stringify(value)}, signed`,
        () => signed(payloadOf({ [field]: value })),
      ],
    ),
  ),
  ...[6100, 10_000, 149_000, 150_001, 86_400_000, -1500, -60_000].map(
    (ageMs): Forgery => [`made ${ageMs} ms ago`, () => signed(payloadOf(agedMs(ageMs)))],
  ),
  ...['', 'x', previousKey, `${key} `, key.toUpperCase(), idOf(key)].map(
    (secret): Forgery => [`signed with another key: ${secret}`, () => signed(payloadOf(), secret)],
  ),
  ['unsigned', () => encode(payloadOf())],
  ['with an empty signature', () => `${encode(payloadOf())}.`],
  ['with the signature of another', () => swapped(payloadOf({ sub: 'a' }), payloadOf())],
  ['a JWT without signature', () => `${encode({ alg: 'none' })}.${encode(payloadOf())}.`],
  ['a JWT', () => `${encode({ alg: 'HS256' })}.${good()}`],
  ['with padding', () => `${good()}=`],
  ['with spare bits in the signature', () => withSpareBits(good())],
  [
    'with spare bits in the text',
    () => {
      const [text = '', mac] = signed(payloadOf({ sub: 'c' })).split('.')
      return `${withSpareBits(text)}.${mac}`
    },
  ],
  ['twice', () => `${good()}.${good()}`],
  ...Array.from(
    { length: 15 },
    (_, i): Forgery => [`character ${3 * i} of the signature changed`, () => withAnother(3 * i)],
  ),
]

t.test('the resource service acts on what auth says of a caller', async (t) => {
  const database = await createTestDatabase(t)
  const settings = loadEnv({
    ...databaseEnv(database.url),
    SVC_RESOURCE_LISTEN: '127.0.0.1:0',
    SVC_INTERNAL_INSECURE: 'true',
    SVC_INTERNAL_ASSERTION_KEY: key,
    SVC_INTERNAL_PREVIOUS_ASSERTION_KEY: previousKey,
  })
  const resource = await startResource({ settings, log })
  const rpc = openRawRpc(`127.0.0.1:${resource.port}`)
  t.teardown(async () => {
    rpc.close()
    await resource.close()
  })
  const flags = '/svc.resource.v1.FlagService'
  const write = (assertion: string | undefined, namespaceKey = '', flagKey = 'f') => {
    const request = CreateFlagRequest.fromPartial({ namespaceKey, key: flagKey, name: 'F' })
    const metadata = assertion === undefined ? {} : { 'svc-assertion': assertion }
    return rpc.call(`${flags}/CreateFlag`, CreateFlagRequest.encode(request).finish(), metadata)
  }
  const refused = { code: 'PERMISSION_DENIED', reason: 'unvouched_caller' }

  await t.test('refuses whatever auth has not said', async (t) => {
    t.match(await write(undefined), refused, 'nothing')
    for (const [what, make] of forgeries) t.match(await write(make()), refused, what)
    t.comment(`${forgeries.length + 1} forged, altered, expired or swapped: 0 accepted`)
    t.ok(forgeries.length >= 100)
    t.strictSame(await database.query('SELECT key FROM resource.flags'), [])
  })

  await t.test('accepts an assertion for five seconds, and a second for the clocks', async (t) => {
    for (const [i, ageMs] of [0, 1000, 4000, 5000, 5700, -700].entries()) {
      const assertion = signed(payloadOf(agedMs(ageMs)))
      t.match(await write(assertion, '', `f${i}`), { code: 'OK' }, `${ageMs} ms`)
    }
    const before = signed(payloadOf({ kid: idOf(previousKey) }), previousKey)
    t.match(await write(before, '', 'p'), { code: 'OK' }, 'also with the key before')
  })

  await t.test('lets no caller that is bound to a namespace out of it', async (t) => {
    const call = (method: string, request: Uint8Array, ns: string | null) =>
      rpc.call(method, request, { 'svc-assertion': signed(payloadOf({ ns })) })
    const get = (namespaceKey: string, ns: string | null) =>
      call(
        `${flags}/GetFlag`,
        GetFlagRequest.encode(GetFlagRequest.fromPartial({ namespaceKey, key: 'f0' })).finish(),
        ns,
      )
    t.match(await get('default', 'default'), { code: 'OK' })
    t.match(await get('', 'default'), { code: 'OK' }, 'no name stands for the default')
    const outside = { code: 'PERMISSION_DENIED', reason: 'namespace_restricted' }
    for (const ns of ['shop', '', ' ', 'Default', 'default ', 'default\0', 'defaul', '*']) {
      t.match(await get('default', ns), outside, `bound to "${ns}"`)
      t.match(await get('', ns), outside, `bound to "${ns}", for no name`)
    }
    const list = ListFlagsRequest.encode(ListFlagsRequest.fromPartial({ namespaceKey: 'default' }))
    t.match(await call(`${flags}/ListFlags`, list.finish(), 'shop'), outside)
    const namespaces = '/svc.resource.v1.NamespaceService'
    const all = ListNamespacesRequest.encode(ListNamespacesRequest.fromPartial({})).finish()
    t.match(await call(`${namespaces}/ListNamespaces`, all, 'default'), outside)
    t.match(await call(`${namespaces}/ListNamespaces`, all, null), { code: 'OK' })
    const own = GetNamespaceRequest.encode(GetNamespaceRequest.fromPartial({ key: 'default' }))
    t.match(await call(`${namespaces}/GetNamespace`, own.finish(), 'default'), { code: 'OK' })
    t.match(await call(`${namespaces}/GetNamespace`, own.finish(), 'shop'), outside)
  })
})
