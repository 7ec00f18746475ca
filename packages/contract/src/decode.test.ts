import { readFile } from 'node:fs/promises'
import { toBinary } from '@bufbuild/protobuf'
import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { EvaluateBatchRequest } from '@svc/proto/evaluation/v1/evaluation'
import { CreateDistributionRequest } from '@svc/proto/resource/v1/distributions'
import {
  CreateFlagRequest,
  ListFlagsRequest,
  UpdateFlagRequest,
} from '@svc/proto/resource/v1/flags'
import { CreateRolloutRequest, UpdateRolloutRequest } from '@svc/proto/resource/v1/rollouts'
import { CreateRuleRequest } from '@svc/proto/resource/v1/rules'
import { AppError } from '@svc/runtime'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import { decodeRequest, type UrlValues } from './decode.ts'
import { encodeResponse } from './encode.ts'
import { bound, contract } from './testing.ts'

/** What a service behind the gateway would see. */
function decode<T>(
  type: { decode(bytes: Uint8Array): T },
  [name, position = 0]: [name: string, position?: number],
  body: object,
  { params = {}, query = {} }: Partial<UrlValues> = {},
): T {
  const route = bound(name, position)
  const sent: Record<string, unknown> = { ...body }
  const message = decodeRequest(route, { params, query }, sent)
  return type.decode(toBinary(route.operation.input, message))
}

/** The contract's words, and after them what is wrong. */
const values = (rule: string) => `invalid values for key(s) in json body: ${rule}`

t.test('a body', async (t) => {
  const createFlag = (body: object) => decode(CreateFlagRequest, ['CreateFlag', 1], body)
  const createToken = (body: object) => decode(CreateTokenRequest, ['CreateToken'], body)
  const createRule = (body: object) => decode(CreateRuleRequest, ['CreateRule', 1], body)
  const nothing = createFlag({})

  await t.test('that is empty has the zero value of every field', async (t) => {
    t.match(nothing, {
      namespaceKey: '',
      key: '',
      enabled: false,
      type: 'VARIANT_FLAG_TYPE',
      metadata: undefined,
    })
  })

  await t.test('may spell names either way, camelCase first', async (t) => {
    t.equal(createFlag({ namespaceKey: 'a' }).namespaceKey, 'a')
    t.equal(createFlag({ namespace_key: 'a' }).namespaceKey, 'a')
    t.equal(createFlag({ namespace_key: 'b', namespaceKey: 'a' }).namespaceKey, 'a')
    t.equal(createFlag({ namespace_key: 'b', namespaceKey: '' }).namespaceKey, '')
    t.equal(createFlag({ namespace_key: 'b', namespaceKey: null }).namespaceKey, 'b')
    t.strictSame(createRule({ segment_keys: ['a'] }).segmentKeys, ['a'])
  })

  await t.test('may have unknown names, of whatever value', async (t) => {
    t.strictSame(createFlag({ nope: { a: [1] }, Key: 'a', NamespaceKey: 1 }), nothing)
  })

  await t.test('may say null for nothing', async (t) => {
    const body = { key: null, enabled: null, type: null, metadata: null, namespace_key: null }
    t.strictSame(createFlag(body), nothing)
    t.strictSame(createRule({ segmentKeys: null, rank: null }), createRule({}))
    t.strictSame(createToken({ expiresAt: null, metadata: null }), createToken({}))
    t.strictSame(createToken({ metadata: { a: null, b: 'b' } }).metadata, { a: '', b: 'b' })
  })

  await t.test('may have numbers in strings', async (t) => {
    const ranks: [unknown, number][] = [
      [10, 10],
      ['10', 10],
      [-1, -1],
      ['-1', -1],
      [1.0, 1],
      ['1.0', 1],
      ['1e2', 100],
      [2147483647, 2147483647],
      ['-2147483648', -2147483648],
    ]
    for (const [rank, value] of ranks) t.equal(createRule({ rank }).rank, value, `${rank}`)
    const rolloutOf = (rollout: unknown) =>
      decode(CreateDistributionRequest, ['CreateDistribution', 1], { rollout }).rollout
    t.equal(rolloutOf(33.33), Math.fround(33.33))
    t.equal(rolloutOf('33.33'), Math.fround(33.33))
    t.equal(rolloutOf('-0.5e1'), -5)
  })

  await t.test('may have enums by name and number', async (t) => {
    for (const type of ['BOOLEAN_FLAG_TYPE', 1]) {
      t.equal(createFlag({ type }).type, 'BOOLEAN_FLAG_TYPE')
    }
    t.equal(createFlag({ type: 0 }).type, 'VARIANT_FLAG_TYPE')
  })

  await t.test('may have any JSON as metadata', async (t) => {
    const metadata = { a: [1, null, { b: 'c' }], d: true, e: {}, namespace_key: 'kept' }
    t.strictSame(createFlag({ metadata }).metadata, metadata)
    t.strictSame(createFlag({ metadata: {} }).metadata, {})
  })

  await t.test('may have timestamps of any offset', async (t) => {
    const table: [text: string, seconds: number, nanos: number][] = [
      ['2030-01-01T00:00:00Z', 1893456000, 0],
      ['2030-01-01t00:00:00z', 1893456000, 0],
      ['2030-01-01T02:30:00+02:30', 1893456000, 0],
      ['2029-12-31T16:00:00-08:00', 1893456000, 0],
      ['2030-01-01T00:00:00.5Z', 1893456000, 500_000_000],
      ['2030-01-01T00:00:00.123456789Z', 1893456000, 123_456_789],
      ['2030-01-01T00:00:00.1234567899Z', 1893456000, 123_456_789],
      ['2024-02-29T00:00:00Z', 1709164800, 0],
      ['0001-01-01T00:00:00Z', -62135596800, 0],
      ['9999-12-31T23:59:59.999999999Z', 253402300799, 999_999_999],
      ['1969-12-31T23:59:59.25Z', -1, 250_000_000],
    ]
    for (const [text, seconds, nanos] of table) {
      t.strictSame(createToken({ expiresAt: text }).expiresAt, { seconds, nanos }, text)
    }
  })

  await t.test('may have a list of objects as an object with counted names', async (t) => {
    const requests = { 0: { flagKey: 'a' }, 1: { flag_key: 'b' } }
    const batch = decode(EvaluateBatchRequest, ['EvaluateBatch'], { requests })
    t.strictSame(
      batch.requests.map(({ flagKey }) => flagKey),
      ['a', 'b'],
    )
    t.strictSame(decode(EvaluateBatchRequest, ['EvaluateBatch'], { requests: {} }).requests, [])
  })

  await t.test('may have one member of a one-of, and keeps what is left out apart', async (t) => {
    const rollout = (body: object) => decode(CreateRolloutRequest, ['CreateRollout'], body)
    t.match(rollout({ threshold: { percentage: 50, value: true } }), {
      threshold: { percentage: 50, value: true },
      segment: undefined,
    })
    t.match(rollout({ segment: { segment_key: 'a' }, threshold: null }), {
      segment: { segmentKey: 'a' },
      threshold: undefined,
    })
    const update = (body: object) => decode(UpdateRolloutRequest, ['UpdateRollout'], body)
    t.equal(update({}).description, undefined)
    t.equal(update({ description: '' }).description, '')
    t.equal(
      decode(UpdateFlagRequest, ['UpdateFlag', 1], { metadata: undefined }).metadata,
      undefined,
    )
  })

  await t.test('is refused for a text of an enum, of which 64 characters are shown', async (t) => {
    const message = /^unknown value "\\"X{64}\\"" for enum /
    t.throws(() => createFlag({ type: 'X'.repeat(1000) }), { message })
  })
})

interface Refused {
  readonly bodies: Cases<object>
  readonly others: Cases<object>
  readonly queries: Cases<UrlValues['query']>
}

/** What is sent, by operation and by the message that it gets. */
type Cases<Sent> = Readonly<Record<string, Readonly<Record<string, readonly Sent[]>>>>

t.test('is refused for values that do not fit', async (t) => {
  const file = new URL('../../../test/fixtures/refused-requests.yml', import.meta.url)
  const { bodies, others, queries }: Refused = parse(await readFile(file, 'utf8'))
  const check = <Sent>(cases: Cases<Sent>, toUrlAndBody: (sent: Sent) => [UrlValues, object]) => {
    for (const [operation, byMessage] of Object.entries(cases)) {
      for (const [rule, list] of Object.entries(byMessage)) {
        const message = cases === bodies ? values(rule) : rule
        for (const sent of list) {
          const [url, body] = toUrlAndBody(sent)
          const decoding = () => decodeRequest(bound(operation), url, { ...body })
          t.throws(decoding, { code: 'invalid_argument', message }, JSON.stringify(sent))
        }
      }
    }
  }
  for (const cases of [bodies, others]) check(cases, (body) => [{ params: {}, query: {} }, body])
  check(queries, (query) => [{ params: {}, query }, {}])
})

t.test('a path', async (t) => {
  const update = (params: UrlValues['params'], body: object, query: UrlValues['query'] = {}) =>
    decode(UpdateFlagRequest, ['UpdateFlag'], body, { params, query })

  await t.test('fills the fields that it names, over the body', async (t) => {
    const params = { namespaceKey: 'prod', key: 'a' }
    const seen = { namespaceKey: 'prod', key: 'a', name: 'A' }
    t.match(update(params, { name: 'A' }), seen)
    t.match(update(params, { name: 'A', key: 'b' }), seen)
    t.match(update(params, { name: 'A', namespaceKey: 'prod' }), seen)
    t.match(update(params, { name: 'A', namespace_key: 'prod' }), seen)
    t.match(update(params, { name: 'A', namespaceKey: '', namespace_key: null }), seen)
  })

  await t.test('allows no other namespace anywhere else', async (t) => {
    const message = 'invalid field namespaceKey: differs from the namespace that the request is for'
    const refused = { code: 'invalid_argument', message }
    const prod = { namespaceKey: 'prod', key: 'a' }
    t.throws(() => update(prod, { namespaceKey: 'default' }), refused)
    t.throws(() => update(prod, { namespace_key: 'default' }), refused)
    t.throws(() => update(prod, { namespaceKey: 'prod', namespace_key: 'dev' }), refused)
    t.throws(() => update(prod, { namespaceKey: 1 }), refused)
    t.throws(() => update(prod, {}, { namespaceKey: 'dev' }), refused)
    t.throws(() => update(prod, {}, { namespace_key: ['prod', 'dev'] }), refused)
    t.throws(() => update({ namespaceKey: '', key: 'a' }, { namespaceKey: 'prod' }), refused)
    t.match(update({ namespaceKey: '', key: 'a' }, { namespaceKey: 'default' }), { key: 'a' })
    t.match(update(prod, {}, { namespace_key: ['prod', 'prod'] }), { namespaceKey: 'prod' })

    const alias = (body: object, query: UrlValues['query']) =>
      decode(UpdateFlagRequest, ['UpdateFlag', 1], body, { params: { key: 'a' }, query })
    t.throws(() => alias({}, { namespaceKey: 'prod' }), refused)
    t.throws(() => alias({ namespaceKey: 'dev' }, { namespace_key: 'prod' }), refused)
    t.match(alias({ namespace_key: 'prod' }, { namespaceKey: 'prod' }), { namespaceKey: 'prod' })
  })

  await t.test('is refused for what cannot be the key of a namespace', async (t) => {
    const characters =
      'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","'
    for (const namespaceKey of ['a/b', '..', 'a b', 'ä', 'a.b', '%2e', 'a\u200b', ' ']) {
      t.throws(() => update({ namespaceKey, key: 'a' }, {}), { message: characters }, namespaceKey)
    }
    t.throws(() => update({ namespaceKey: 'a'.repeat(256), key: 'a' }, {}), {
      message: 'invalid field namespaceKey: must be at most 255 characters',
    })
    t.match(update({ namespaceKey: 'a'.repeat(255), key: 'a' }, {}), { key: 'a' })
    const get = (key: string) => decode(ListFlagsRequest, ['GetNamespace'], {}, { params: { key } })
    t.throws(() => get('a.b'), {
      message: /^invalid field key: contains invalid characters: allowed are /,
    })
  })
})

t.test('a query', async (t) => {
  const list = (query: UrlValues['query']) =>
    decode(ListFlagsRequest, ['ListFlags'], { limit: 99 }, { params: { namespaceKey: 'p' }, query })

  await t.test('fills the fields that are not in the path', async (t) => {
    t.strictSame(list({ limit: '10', offset: '-2', pageToken: 'x', reference: 'main' }), {
      namespaceKey: 'p',
      limit: 10,
      offset: -2,
      pageToken: 'x',
      reference: 'main',
    })
    t.equal(list({ page_token: 'x' }).pageToken, 'x')
    t.equal(list({ page_token: 'y', pageToken: 'x' }).pageToken, 'x')
    const alias = decode(ListFlagsRequest, ['ListFlags', 1], {}, { query: { namespace_key: 'p' } })
    t.equal(alias.namespaceKey, 'p')
  })

  await t.test('may have unknown names and names without a value', async (t) => {
    const nothing = { namespaceKey: 'p', limit: 0, offset: 0, pageToken: '', reference: '' }
    t.strictSame(list({ limit: '', offset: '', pageToken: '', reference: '' }), nothing)
    t.strictSame(list({ nope: 'x', pretty: '', Limit: '3', 'limit.x': '3' }), nothing)
  })

  await t.test('is refused for a long text, of which 64 characters are shown', async (t) => {
    const message = `parsing field "limit": "${'9'.repeat(64)}" is not an integer`
    t.throws(() => list({ limit: '9'.repeat(400) }), { message })
  })

  await t.test('may have booleans, enums and timestamps', async (t) => {
    const message = (name: string, query: UrlValues['query']) =>
      decodeRequest(bound(name), { params: { key: 'a' }, query }, {})
    for (const force of ['true', '1'])
      t.match(message('DeleteNamespace', { force }), { force: true })
    for (const force of ['false', '0', '']) {
      t.match(message('DeleteNamespace', { force }), { force: false })
    }
    for (const method of ['METHOD_TOKEN', '1']) {
      t.match(message('ListAuthentications', { method }), { method: 1 })
    }
    t.match(message('ExpireSelf', { expires_at: '2030-01-01T01:00:00+01:00' }), {
      expiresAt: { seconds: 1893456000n },
    })
  })
})

t.test('whatever is sent becomes a message or a refusal', async (t) => {
  const value = fc.jsonValue()
  const texts = fc.oneof(fc.string(), fc.array(fc.string()))
  for (const operation of contract.operations) {
    const [binding] = operation.bindings
    if (binding === undefined) continue
    const names = operation.input.fields.flatMap(({ name, jsonName }) => [name, jsonName])
    const body = fc.dictionary(fc.constantFrom('other', ...names), value)
    const query = fc.dictionary(fc.constantFrom('other', ...names), texts)
    const property = fc.property(body, query, (body, query) => {
      try {
        const sent = JSON.parse(JSON.stringify(body))
        const message = decodeRequest({ operation, binding }, { params: {}, query }, sent)
        encodeResponse(operation.input, toBinary(operation.input, message))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
      }
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 100 }), operation.name)
  }
})
