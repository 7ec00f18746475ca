import { AppError, Secret } from '@svc/runtime'
import { contextOf, logFields, within } from '@svc/telemetry'
import { recordSpans } from '@svc/telemetry/testing'
import t, { type Test } from 'tap'
import type { Handlers } from './definition.ts'
import type { Protection } from './protection.ts'
import { openChannel, serve, unary } from './text-service.test.support.ts'

const EchoDefinition = {
  fullName: 'test.Echo',
  methods: { ids: unary('Ids'), fail: unary('Fail') },
} as const

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

async function start(t: Test, protection?: Protection) {
  const spans = recordSpans(t)
  const handlers: Handlers<typeof EchoDefinition> = {
    ids: async () => JSON.stringify(logFields()),
    async fail(code) {
      if (code === 'defect') throw new TypeError('secret')
      throw new AppError('not_found', 'flag_not_found', 'flag "secret" not found')
    },
  }
  const options = protection === undefined ? {} : { protection }
  const address = await serve(t, EchoDefinition, handlers, options)
  return { spans, address, client: openChannel(t, address).client(EchoDefinition) }
}

/** A request with a trace, in which a call is made. */
const arrived = (flags: string, tracestate?: string) =>
  contextOf({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate, requestId: 'r-1' })

t.test('a call of a recorded request is a span on both ends', async (t) => {
  const { spans, client } = await start(t)
  const ids = await within(arrived('01', 'vendor=1'), () => client.ids(''))
  const [served, called] = spans()
  const attributes = {
    'rpc.system.name': 'grpc',
    'rpc.method': 'test.Echo/Ids',
    'rpc.response.status_code': 'OK',
  }
  t.match(called, { name: 'test.Echo/Ids', kind: 2, attributes, parentSpanContext: { spanId } })
  t.match(served, { name: 'test.Echo/Ids', kind: 1, attributes })
  t.equal(served?.parentSpanContext?.spanId, called?.spanContext().spanId)
  t.equal(served?.spanContext().traceState?.serialize(), 'vendor=1')
  const own = { trace_id: traceId, span_id: served?.spanContext().spanId }
  t.strictSame(JSON.parse(ids), { requestId: 'r-1', ...own }, 'for the lines of the log')
})

t.test('a call of a request that is not recorded has its ids and no spans', async (t) => {
  const { spans, client } = await start(t)
  const ids = await within(arrived('00'), () => client.ids(''))
  t.strictSame(JSON.parse(ids), { requestId: 'r-1', trace_id: traceId })
  t.strictSame(JSON.parse(await client.ids('')), {}, 'nor has a call of no request')
  t.strictSame(spans(), [])
})

t.test('a call that fails says why by its class', async (t) => {
  const { spans, client } = await start(t)
  await within(arrived('01'), async () => {
    await t.rejects(client.fail('missing'), { code: 'not_found' })
    await t.rejects(client.fail('defect'), { code: 'internal' })
  })
  const seen = spans().map(({ kind, status, attributes }) => [
    kind,
    status.code,
    attributes['rpc.response.status_code'],
    attributes['error.type'],
  ])
  t.strictSame(seen, [
    // A server that answers with a refusal has not failed.
    [1, 0, 'NOT_FOUND', 'flag_not_found'],
    [2, 2, 'NOT_FOUND', 'NOT_FOUND'],
    [1, 2, 'INTERNAL', 'TypeError'],
    [2, 2, 'INTERNAL', 'INTERNAL'],
  ])
  t.notMatch(
    JSON.stringify(spans().map(({ attributes, status }) => [attributes, status])),
    'secret',
  )
})

t.test('only a service of this installation decides that its call is recorded', async (t) => {
  const { spans, client } = await start(t, { secrets: [new Secret('s'.repeat(32))] })
  await within(arrived('01'), () => t.rejects(client.ids(''), { code: 'unavailable' }))
  t.strictSame(
    spans().map(({ kind }) => kind),
    [2],
    'the span of the caller alone',
  )
})

t.test('ids that could be anything are not taken', async (t) => {
  const { client } = await start(t)
  for (const requestId of ['a b', 'a"b', 'x'.repeat(65), 'ü'.repeat(3)]) {
    const sent = { metadata: { 'svc-request-id': requestId } }
    const ids = await client.ids('', sent).catch(() => '{}')
    t.strictSame(JSON.parse(ids), {}, requestId)
  }
})
