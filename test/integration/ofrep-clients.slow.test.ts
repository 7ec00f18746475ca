import { setTimeout as sleep } from 'node:timers/promises'
import {
  isEvaluationFailureResponse,
  OFREPApi,
  OFREPApiUnauthorizedError,
  OFREPApiUnexpectedResponseError,
  OFREPForbiddenError,
  toResolutionDetails,
} from '@openfeature/ofrep-core'
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'
import { OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/web-sdk'
import type { VectorDocument } from '@svc/evaluation/testing'
import { waitFor } from '@svc/runtime/testing'
import { EventSource } from 'eventsource'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

const document = readFixture<VectorDocument>('ofrep-clients')

const inside = { targetingKey: 'alice', role: 'staff', age: 30, tags: ['a'], nothing: null }
const outside = { targetingKey: 'bob', role: 'guest' }

t.test('@openfeature/ofrep-core', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t)
  await loadDocument(api, document)
  const [baseUrl] = urls
  const shopToken = await createNamespacedToken('shop')
  const open = (credential: string, ...headers: [string, string][]) =>
    new OFREPApi({
      baseUrl,
      headers: [['Authorization', `Bearer ${credential}`], ['X-Svc-Namespace', 'shop'], ...headers],
    })
  const client = open(shopToken)

  await t.test('evaluates a flag', async (t) => {
    const { httpStatus, value } = await client.postEvaluateFlag('switch', { context: inside })
    t.equal(httpStatus, 200)
    t.match(value, { key: 'switch', value: true, variant: 'true', reason: 'TARGETING_MATCH' })
    const color = await client.postEvaluateFlag('color', { context: inside })
    t.match(color.value, {
      value: 'blue',
      metadata: { segments: 'staff', attachment: /"#00f"/ },
    })
    t.match(await client.postEvaluateFlag('switch'), { value: { value: false } }, 'for any entity')
  })

  await t.test('takes the default of the code where nothing is served', async (t) => {
    const { value } = await client.postEvaluateFlag('color', { context: outside })
    t.notOk(isEvaluationFailureResponse(value))
    if (isEvaluationFailureResponse(value)) return
    t.match(toResolutionDetails(value, 'green'), { value: 'green', reason: 'UNKNOWN' })
  })

  await t.test('understands what went wrong with one flag', async (t) => {
    const missing = await client.postEvaluateFlag('gone', { context: inside })
    t.match(missing, { httpStatus: 404, value: { key: 'gone', errorCode: 'FLAG_NOT_FOUND' } })
    const wide = { targetingKey: 'x'.repeat(70_000) }
    const refused = await client.postEvaluateFlag('switch', { context: wide })
    t.match(refused, { httpStatus: 400, value: { key: 'switch', errorCode: 'INVALID_CONTEXT' } })
    const elsewhere = open(token, ['X-Flipt-Namespace', 'default'])
    t.match(await elsewhere.postEvaluateFlag('switch', { context: inside }), {
      httpStatus: 400,
      value: { key: 'switch', errorCode: 'INVALID_CONTEXT' },
    })
  })

  await t.test('understands who may not ask', async (t) => {
    const unknown = open(`${token}x`)
    await t.rejects(unknown.postEvaluateFlag('switch'), OFREPApiUnauthorizedError)
    await t.rejects(unknown.postBulkEvaluateFlags(), OFREPApiUnauthorizedError)
    const restricted = new OFREPApi({
      baseUrl,
      headers: [['Authorization', `Bearer ${shopToken}`]],
    })
    await t.rejects(restricted.postEvaluateFlag('switch'), OFREPForbiddenError)
    await t.rejects(restricted.postBulkEvaluateFlags(), OFREPForbiddenError)
  })

  await t.test('learns when to retry', async (t) => {
    const early = open(shopToken, ['X-Svc-Min-Revision', 'shop:900000000000'])
    const error = await early.postEvaluateFlag('switch').catch((error: unknown) => error)
    t.ok(error instanceof OFREPApiUnexpectedResponseError)
    if (!(error instanceof OFREPApiUnexpectedResponseError)) return
    t.strictSame([error.response?.status, error.response?.headers.get('retry-after')], [503, '1'])
  })

  await t.test('evaluates all flags, and once only while nothing changes', async (t) => {
    const first = await client.postBulkEvaluateFlags({ context: inside })
    t.match(first, {
      httpStatus: 200,
      value: {
        flags: [
          { key: 'switch', value: true },
          { key: 'color', value: 'blue' },
        ],
      },
    })
    const etag = first.httpResponse?.headers.get('etag') ?? ''
    const second = await client.postBulkEvaluateFlags({ context: inside }, etag)
    t.match(second, { httpStatus: 304, value: undefined })
    t.equal((await client.postBulkEvaluateFlags({ context: outside }, etag)).httpStatus, 200)
  })

  await t.test('understands what went wrong with some flags', async (t) => {
    const context = { ...inside, flags: 'switch,gone' }
    const { value } = await client.postBulkEvaluateFlags({ context })
    const { flags = [] } = value !== undefined && 'flags' in value ? value : {}
    t.strictSame(flags.map(isEvaluationFailureResponse), [false, true])
  })
})

t.test('@openfeature/ofrep-web-provider', async (t) => {
  const { api, urls, createNamespacedToken } = await startStack(t)
  await loadDocument(api, document)
  const token = await createNamespacedToken('shop')
  // As a browser has it: without a way to send headers.
  Object.assign(globalThis, { EventSource })
  const options = {
    baseUrl: urls[0],
    headers: [
      ['Authorization', `Bearer ${token}`],
      ['X-Svc-Namespace', 'shop'],
    ] as [string, string][],
    cacheMode: 'disabled' as const,
  }
  // The types of the provider have hooks that may be undefined, those of the SDK do not.
  const provider = Object.assign(new OFREPWebProvider(options), { hooks: [] })
  await OpenFeature.setContext({ targetingKey: 'alice', role: 'staff', age: 30 })
  await OpenFeature.setProviderAndWait(provider)
  t.teardown(() => OpenFeature.close())
  const client = OpenFeature.getClient()
  const changes: (readonly string[])[] = []
  client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
    changes.push(details?.flagsChanged ?? [])
  })
  const troubles: (string | undefined)[] = []
  for (const event of [ProviderEvents.Stale, ProviderEvents.Error] as const) {
    client.addHandler(event, (details) => {
      troubles.push(details?.message)
    })
  }

  await t.test('gives applications what the flags say', async (t) => {
    t.equal(client.getBooleanValue('switch', false), true)
    t.equal(client.getStringValue('color', 'green'), 'blue')
    t.match(client.getStringDetails('color', 'green'), {
      reason: 'TARGETING_MATCH',
      variant: 'blue',
      flagMetadata: { segments: 'staff' },
    })
    t.match(client.getBooleanDetails('gone', true), { value: true, errorCode: 'FLAG_NOT_FOUND' })
    t.match(client.getNumberDetails('color', 7), { value: 7, errorCode: 'TYPE_MISMATCH' })
  })

  await t.test('asks anew when the context changes', async (t) => {
    await OpenFeature.setContext({ targetingKey: 'alice', role: 'guest', age: 30 })
    t.equal(client.getBooleanValue('switch', true), false)
    t.equal(client.getStringValue('color', 'green'), 'green')
    await OpenFeature.setContext({ targetingKey: 'alice', role: 'staff', age: 30 })
    t.equal(client.getBooleanValue('switch', false), true)
  })

  await t.test('receives each change and has it at once', async (t) => {
    const rename = (enabled: boolean) =>
      api('PUT', '/api/v1/namespaces/shop/flags/color', { name: 'Color', enabled })
    // A stream that has just been reopened may still have an event to send.
    await sleep(200)
    changes.length = 0
    for (const enabled of [false, true, false]) {
      await rename(enabled)
      const expected = enabled ? 'blue' : 'green'
      await waitFor(() => client.getStringValue('color', 'green') === expected)
    }
    await waitFor(() => changes.length === 3)
    t.strictSame(changes, [['color'], ['color'], ['color']])
    await rename(true)
    await waitFor(() => client.getStringValue('color', 'green') === 'blue')
    t.strictSame(troubles, [])
  })

  await t.test('learns that its token is not good any more', async (t) => {
    const { body } = await api('GET', '/auth/v1/tokens')
    const { authentications } = body as {
      authentications: { id: string; metadata: Record<string, string> }[]
    }
    const own = authentications.find(({ metadata }) =>
      Object.values(metadata).includes('shop-token'),
    )
    await api('DELETE', `/auth/v1/tokens/${own?.id}`)
    await waitFor(() => troubles.length > 0)
    t.equal(client.getStringValue('color', 'green'), 'blue', 'and keeps what it has')
  })
})

t.test('@openfeature/ofrep-web-provider, before there is its namespace', async (t) => {
  const { api, urls, token } = await startStack(t)
  const provider = new OFREPWebProvider({
    baseUrl: urls[0],
    headers: [
      ['Authorization', `Bearer ${token}`],
      ['X-Svc-Namespace', 'shop'],
    ],
    cacheMode: 'disabled',
  })
  const domain = 'early'
  await OpenFeature.setProviderAndWait(domain, Object.assign(provider, { hooks: [] }), {
    targetingKey: 'alice',
    role: 'staff',
    age: 30,
  })
  t.teardown(() => OpenFeature.close())
  const client = OpenFeature.getClient(domain)
  t.equal(client.providerStatus, ProviderStatus.READY)
  t.equal(client.getBooleanValue('switch', false), false)
  await loadDocument(api, document)
  await waitFor(() => client.getStringValue('color', 'green') === 'blue')
  t.equal(client.getBooleanValue('switch', false), true)
})
