import {
  ClientTokenAuthentication,
  FliptMetrics,
  JWTAuthentication,
  FliptClient as ServerSideClient,
} from '@flipt-io/flipt'
import { ErrorStrategy, FliptClient } from '@flipt-io/flipt-client-js'
import type { VectorDocument } from '@svc/evaluation/testing'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

/** Three flags that show the ways in which one can be answered. */
const document = readFixture<VectorDocument>('flipt-clients')

const inside = { entityId: 'alice', context: { role: 'staff' } }
const outside = { entityId: 'bob', context: { role: 'guest' } }

t.test('@flipt-io/flipt', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t)
  await loadDocument(api, document)
  const clientFor = (clientToken: string) =>
    new ServerSideClient({
      url: urls[0],
      authenticationStrategy: new ClientTokenAuthentication(clientToken),
      timeout: 10,
    })
  const client = clientFor(token)
  const ask = (flagKey: string, whom: typeof inside | typeof outside) => ({
    namespaceKey: 'shop',
    flagKey,
    ...whom,
  })

  await t.test('evaluates boolean flags', async (t) => {
    t.match(await client.evaluation.boolean(ask('switch', inside)), {
      enabled: true,
      flagKey: 'switch',
      reason: 'MATCH_EVALUATION_REASON',
      segmentKeys: ['staff'],
    })
    t.match(await client.evaluation.boolean(ask('switch', outside)), {
      enabled: false,
      reason: 'DEFAULT_EVALUATION_REASON',
      segmentKeys: [],
    })
  })

  await t.test('evaluates variant flags', async (t) => {
    t.match(await client.evaluation.variant(ask('color', inside)), {
      match: true,
      variantKey: 'blue',
      variantAttachment: '{"hex":"#00f"}',
      segmentKeys: ['staff'],
    })
    t.match(await client.evaluation.variant(ask('color', outside)), {
      match: false,
      variantKey: 'red',
      reason: 'DEFAULT_EVALUATION_REASON',
    })
    t.match(await client.evaluation.variant(ask('off', inside)), {
      match: false,
      reason: 'FLAG_DISABLED_EVALUATION_REASON',
    })
  })

  await t.test('evaluates batches', async (t) => {
    const requests = [ask('switch', inside), ask('color', outside), ask('nothing', inside)]
    const answer = await client.evaluation.batch({ request_id: 'mine', requests })
    t.match(answer, {
      requestId: 'mine',
      responses: [
        { type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse: { enabled: true } },
        { type: 'VARIANT_EVALUATION_RESPONSE_TYPE', variantResponse: { variantKey: 'red' } },
        {
          type: 'ERROR_EVALUATION_RESPONSE_TYPE',
          errorResponse: {
            flagKey: 'nothing',
            namespaceKey: 'shop',
            reason: 'NOT_FOUND_ERROR_EVALUATION_REASON',
          },
        },
      ],
    })
  })

  await t.test('lists flags, whole and by pages', async (t) => {
    const all = await client.flags.listFlags('shop')
    t.strictSame(
      all.flags.map(({ key }) => key),
      ['switch', 'color', 'off'],
    )
    t.match(all, { totalCount: 3, nextPageToken: '' })
    t.match(all.flags[1]?.variants, [{ key: 'blue' }, { key: 'red' }])
    const first = await client.flags.listFlags('shop', { limit: 2, reference: 'main' })
    const { nextPageToken } = first
    t.equal(first.flags.length, 2)
    const last = await client.flags.listFlags('shop', { limit: 2, pageToken: nextPageToken })
    t.match(last, { flags: [{ key: 'off' }], nextPageToken: '', totalCount: 3 })
    t.match(await client.flags.listFlags('shop', { limit: 2, offset: 1 }), {
      flags: [{ key: 'color' }, { key: 'off' }],
    })
  })

  await t.test('reports evaluations as metrics', async (t) => {
    const reported: unknown[] = []
    const addFeatureFlagEvaluation = (...args: unknown[]) => reported.push(args)
    const metrics = new FliptMetrics(client.evaluation, { addFeatureFlagEvaluation })
    await metrics.boolean(ask('switch', inside))
    await metrics.variant(ask('color', inside))
    t.strictSame(reported, [
      ['shop/switch', true],
      ['shop/color', 'blue'],
    ])
  })

  await t.test('throws what the service says', async (t) => {
    const { evaluation, flags } = client
    const says = (message: string) => ({ message })
    await t.rejects(
      evaluation.boolean(ask('nothing', inside)),
      says('flag "shop/nothing" not found'),
    )
    await t.rejects(
      evaluation.boolean(ask('color', inside)),
      says('flag type VARIANT_FLAG_TYPE invalid: use /evaluate/v1/variant'),
    )
    await t.rejects(
      evaluation.variant(ask('switch', inside)),
      says('flag type BOOLEAN_FLAG_TYPE invalid: use /evaluate/v1/boolean'),
    )
    await t.rejects(
      flags.listFlags('shop', { limit: 1, pageToken: 'Hello' }),
      says('pageToken is not valid: "Hello"'),
    )
    const refused = says('request was not authenticated')
    const jwt = new JWTAuthentication('a.b.c')
    const unauthenticated = [
      new ServerSideClient({ url: urls[0] }),
      clientFor('nonsense'),
      new ServerSideClient({ url: urls[0], authenticationStrategy: jwt }),
    ]
    for (const client of unauthenticated) {
      await t.rejects(client.evaluation.boolean(ask('switch', inside)), refused)
      await t.rejects(client.evaluation.variant(ask('color', inside)), refused)
      await t.rejects(client.evaluation.batch({ requests: [] }), refused)
      await t.rejects(client.flags.listFlags('shop'), refused)
    }
    const bound = clientFor(await createNamespacedToken('shop'))
    t.match(await bound.evaluation.boolean(ask('switch', inside)), { enabled: true })
    await t.rejects(
      bound.flags.listFlags('default'),
      says('token "shop-token" is restricted to namespace "shop"'),
    )
  })
})

t.test('@flipt-io/flipt-client-js', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t)
  await loadDocument(api, document)
  const authentication = { clientToken: token }
  const usual = { url: urls[0], namespace: 'shop', authentication }
  const setSwitch = async (enabled: boolean) => {
    const { status } = await api('PUT', '/api/v1/namespaces/shop/flags/switch', {
      name: 'Switch',
      enabled,
    })
    t.equal(status, 200)
  }
  const isOn = (client: FliptClient) =>
    client.evaluateBoolean({ flagKey: 'switch', ...outside }).enabled

  await t.test('evaluates by itself', async (t) => {
    const client = await FliptClient.init(usual)
    t.match(client.evaluateBoolean({ flagKey: 'switch', ...inside }), {
      enabled: true,
      reason: 'MATCH_EVALUATION_REASON',
      segmentKeys: ['staff'],
    })
    t.match(client.evaluateBoolean({ flagKey: 'switch', entityId: 'boss', context: {} }), {
      enabled: true,
    })
    t.equal(isOn(client), false)
    t.match(client.evaluateVariant({ flagKey: 'color', ...inside }), {
      match: true,
      variantKey: 'blue',
      variantAttachment: '{"hex":"#00f"}',
    })
    t.match(client.evaluateVariant({ flagKey: 'color', ...outside }), {
      match: false,
      variantKey: 'red',
      reason: 'DEFAULT_EVALUATION_REASON',
    })
    t.match(client.evaluateVariant({ flagKey: 'off', ...inside }), {
      reason: 'FLAG_DISABLED_EVALUATION_REASON',
    })
    const batch = client.evaluateBatch([
      { flagKey: 'switch', ...inside },
      { flagKey: 'color', ...inside },
      { flagKey: 'nothing', ...inside },
    ])
    t.match(batch.responses, [
      { booleanEvaluationResponse: { enabled: true } },
      { variantEvaluationResponse: { variantKey: 'blue' } },
      { errorEvaluationResponse: { flagKey: 'nothing' } },
    ])
    const listed = client.listFlags().map(({ key }: { readonly key: string }) => key)
    t.strictSame(listed.toSorted(), ['color', 'off', 'switch'])
    t.throws(() => client.evaluateBoolean({ flagKey: 'nothing', ...inside }), /shop\/nothing/)
  })

  await t.test('fetches again only what has changed', async (t) => {
    const statuses: number[] = []
    const client = await FliptClient.init({
      ...usual,
      fetcher: async (options?: { readonly etag?: string }) => {
        const response = await fetch(`${urls[0]}/internal/v1/evaluation/snapshot/namespace/shop`, {
          headers: {
            authorization: `Bearer ${token}`,
            'x-flipt-accept-server-version': '1.47.0',
            ...(options?.etag === undefined ? {} : { 'if-none-match': options.etag }),
          },
        })
        statuses.push(response.status)
        return response
      },
    })
    t.equal(await client.refresh(), false)
    t.equal(await client.refresh(), false)
    await setSwitch(true)
    t.equal(await client.refresh(), true)
    t.equal(isOn(client), true)
    t.equal(await client.refresh(), false)
    t.strictSame(statuses, [200, 304, 304, 200, 304])
    await setSwitch(false)
  })

  await t.test('refreshes with its own way to fetch', async (t) => {
    const client = await FliptClient.init({ ...usual, reference: 'main' })
    t.equal(await client.refresh(), false)
    await setSwitch(true)
    t.equal(await client.refresh(), true)
    t.equal(isOn(client), true)
    await setSwitch(false)
  })

  await t.test('gets changes by polling', async (t) => {
    const client = await FliptClient.init({ ...usual, updateInterval: 0.1 })
    t.teardown(() => client.close())
    await setSwitch(true)
    await waitFor(() => isOn(client))
    await setSwitch(false)
  })

  await t.test('uses what it has while it cannot fetch', async (t) => {
    const kept = (await FliptClient.init(usual)).getSnapshot()
    const unavailable = { ...usual, url: 'http://127.0.0.1:1' }
    const errorStrategy = ErrorStrategy.Fallback
    const client = await FliptClient.init({ ...unavailable, snapshot: kept, errorStrategy })
    t.match(client.evaluateVariant({ flagKey: 'color', ...inside }), { variantKey: 'blue' })
    t.equal(await client.refresh(), false)
    await t.rejects(FliptClient.init(unavailable))
  })

  await t.test('gets the refusal when it may not', async (t) => {
    const init = (clientToken: string, namespace: string) =>
      FliptClient.init({ url: urls[0], namespace, authentication: { clientToken } })
    await t.rejects(init('nonsense', 'shop'), { message: 'Failed to fetch data: Unauthorized' })
    await t.rejects(FliptClient.init({ url: urls[0], namespace: 'shop' }), /Unauthorized/)
    const jwt = { jwtToken: 'a.b.c' }
    await t.rejects(
      FliptClient.init({ url: urls[0], namespace: 'shop', authentication: jwt }),
      /Unauthorized/,
    )
    const bound = await createNamespacedToken('shop')
    t.equal((await init(bound, 'shop')).listFlags().length, 3)
    await t.rejects(init(bound, 'default'), { message: 'Failed to fetch data: Forbidden' })
  })

  await t.test('finds nothing in a namespace that does not exist', async (t) => {
    const client = await FliptClient.init({ ...usual, namespace: 'nowhere' })
    t.strictSame(client.listFlags(), [])
    t.throws(() => client.evaluateBoolean({ flagKey: 'switch', ...inside }), /nowhere\/switch/)
    t.equal(await client.refresh(), true, 'there is no tag to compare')
  })
})
