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

  await t.test('is refused for values that do not fit', async (t) => {
    const enumOf = (sent: string) =>
      `unknown value ${JSON.stringify(sent)} for enum svc.resource.v1.FlagType: ` +
      'type must be VARIANT_FLAG_TYPE or BOOLEAN_FLAG_TYPE'
    const both = 'only one of segment and threshold may be present'
    const wholeNumber = values('rank must be a whole number from -2147483648 to 2147483647')
    const table: [method: string, body: object, message: string][] = [
      ['CreateFlag', { key: 's3cret'.split('') }, values('key must be a string')],
      [
        'EvaluateBatch',
        { requests: [{ flag_key: 1 }] },
        values('requests.flagKey must be a string'),
      ],
      ['CreateFlag', { key: 1 }, values('key must be a string')],
      ['CreateFlag', { key: true }, values('key must be a string')],
      ['CreateFlag', { key: {} }, values('key must be a string')],
      ['CreateFlag', { key: ['a'] }, values('key must be a string')],
      ['CreateFlag', { enabled: 'true' }, values('enabled must be true or false')],
      ['CreateFlag', { enabled: 1 }, values('enabled must be true or false')],
      ['CreateFlag', { metadata: [] }, values('metadata must be an object')],
      ['CreateFlag', { metadata: '{}' }, values('metadata must be an object')],
      ['CreateFlag', { type: 'NOPE' }, enumOf('"NOPE"')],
      ['CreateFlag', { type: 'boolean_flag_type' }, enumOf('"boolean_flag_type"')],
      ['CreateFlag', { type: '1' }, enumOf('"1"')],
      ['CreateFlag', { type: '' }, enumOf('""')],
      ['CreateFlag', { type: 2 }, enumOf('2')],
      ['CreateFlag', { type: 0.5 }, enumOf('0.5')],
      ['CreateFlag', { type: true }, values('type must be VARIANT_FLAG_TYPE or BOOLEAN_FLAG_TYPE')],
      ['CreateFlag', { type: 'X'.repeat(1000) }, enumOf(`"${'X'.repeat(64)}"`)],
      ['CreateRule', { rank: 1.5 }, wholeNumber],
      ['CreateRule', { rank: '1.5' }, wholeNumber],
      ['CreateRule', { rank: 2147483648 }, wholeNumber],
      ['CreateRule', { rank: '-2147483649' }, wholeNumber],
      ['CreateRule', { rank: '' }, wholeNumber],
      ['CreateRule', { rank: ' 1' }, wholeNumber],
      ['CreateRule', { rank: '0x10' }, wholeNumber],
      ['CreateRule', { rank: '+1' }, wholeNumber],
      ['CreateRule', { rank: 'ten' }, wholeNumber],
      ['CreateRule', { rank: [1] }, wholeNumber],
      ['CreateRule', { segmentKeys: 'a' }, values('segmentKeys must be a list')],
      ['CreateRule', { segmentKeys: [1] }, values('segmentKeys must hold strings only')],
      ['CreateRule', { segmentKeys: [null] }, values('segmentKeys must hold strings only')],
      ['CreateRule', { segmentKeys: { 0: 'a' } }, values('segmentKeys must be a list')],
      [
        'CreateRollout',
        { threshold: { percentage: 'NaN' } },
        values('threshold.percentage must be a number'),
      ],
      [
        'CreateRollout',
        { threshold: { percentage: 'Infinity' } },
        values('threshold.percentage must be a number'),
      ],
      [
        'CreateRollout',
        { threshold: { percentage: '-Infinity' } },
        values('threshold.percentage must be a number'),
      ],
      [
        'CreateRollout',
        { threshold: { percentage: 1e39 } },
        values('threshold.percentage must be a number'),
      ],
      ['CreateRollout', { threshold: [] }, values('threshold must be an object')],
      ['CreateRollout', { threshold: 50 }, values('threshold must be an object')],
      ['CreateRollout', { threshold: {}, segment: {} }, both],
      [
        'CreateToken',
        { metadata: { a: 1 } },
        values('metadata must be an object whose values are strings'),
      ],
      [
        'CreateToken',
        { metadata: { a: {} } },
        values('metadata must be an object whose values are strings'),
      ],
      ['CreateToken', { metadata: [] }, values('metadata must be an object')],
      ['EvaluateBatch', { requests: { 1: {} } }, values('requests must be a list')],
      ['EvaluateBatch', { requests: { 0: {}, 2: {} } }, values('requests must be a list')],
      ['EvaluateBatch', { requests: { a: {} } }, values('requests must be a list')],
      ['EvaluateBatch', { requests: [null] }, values('requests must hold objects only')],
      ['EvaluateBatch', { requests: ['a'] }, values('requests must hold objects only')],
    ]
    for (const [method, body, message] of table) {
      const refused = { code: 'invalid_argument', message }
      t.throws(() => decode(CreateFlagRequest, [method], body), refused, JSON.stringify(body))
    }
  })

  await t.test('is refused for what is no RFC 3339 date-time', async (t) => {
    const table: unknown[] = [
      '',
      'tomorrow',
      '2030-01-01',
      '2030-01-01T00:00:00',
      '2030-01-01 00:00:00Z',
      '2030-1-1T00:00:00Z',
      '2030-13-01T00:00:00Z',
      '2030-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2030-01-01T24:00:00Z',
      '2030-01-01T00:00:60Z',
      '2030-01-01T00:00:00+24:00',
      '2030-01-01T00:00:00.Z',
      '10000-01-01T00:00:00Z',
      '0000-12-31T23:59:59Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      1893456000,
      {},
    ]
    const rule = 'expiresAt must be an RFC 3339 date-time such as 2030-01-31T12:00:00Z'
    const message = values(rule)
    for (const expiresAt of table) {
      t.throws(() => createToken({ expiresAt }), { message }, JSON.stringify(expiresAt))
    }
  })
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

  await t.test('is refused for what does not fit, with the field named', async (t) => {
    const methods =
      'METHOD_NONE, METHOD_TOKEN, METHOD_OIDC, METHOD_ORCHESTRATOR, METHOD_CODEHOST, METHOD_JWT or METHOD_CLOUD'
    const table: [method: string, query: UrlValues['query'], message: string][] = [
      ['ListFlags', { limit: 'ten' }, 'parsing field "limit": "ten" is not an integer'],
      ['ListFlags', { limit: '1.5' }, 'parsing field "limit": "1.5" is not an integer'],
      ['ListFlags', { limit: ' 1' }, 'parsing field "limit": " 1" is not an integer'],
      ['ListFlags', { limit: '2147483648' }, 'parsing field "limit": "2147483648" is out of range'],
      [
        'ListFlags',
        { limit: '9'.repeat(400) },
        `parsing field "limit": "${'9'.repeat(64)}" is not an integer`,
      ],
      ['ListFlags', { limit: ['1', '2'] }, 'too many values for field "limit"'],
      ['ListFlags', { page_token: ['a', ''] }, 'too many values for field "pageToken"'],
      ['DeleteNamespace', { force: 'yes' }, 'parsing field "force": "yes" is not a boolean'],
      [
        'ListAuthentications',
        { method: 'METHOD_NOPE' },
        `parsing field "method": "METHOD_NOPE" is not a valid value: use ${methods}`,
      ],
      [
        'ListAuthentications',
        { method: '99' },
        `parsing field "method": "99" is not a valid value: use ${methods}`,
      ],
      [
        'ExpireSelf',
        { expiresAt: 'soon' },
        'parsing field "expiresAt": "soon" is not an RFC 3339 date-time',
      ],
    ]
    for (const [method, query, message] of table) {
      const refused = { code: 'invalid_argument', message }
      t.throws(() => decode(ListFlagsRequest, [method], {}, { query }), refused, message)
    }
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
