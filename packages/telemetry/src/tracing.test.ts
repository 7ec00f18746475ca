import { AppError } from '@svc/runtime'
import t, { type Test } from 'tap'
import { keepContexts, recordSpans } from './testing.ts'
import {
  contextOf,
  inSpan,
  isSampled,
  logFields,
  outsideOfRequests,
  requestHeaders,
  type SpanDescription,
  startSpan,
  unsampled,
  within,
} from './tracing.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const sampled = `00-${traceId}-${spanId}-01`
const notSampled = `00-${traceId}-${spanId}-00`

const describe = (name = 'work'): SpanDescription => ({
  name,
  kind: 'client',
  attributes: { a: 1 },
})

/** What the service after this one would be sent. */
const sentOn = (headers: Parameters<typeof contextOf>[0]) =>
  within(contextOf(headers), requestHeaders)

t.test('a request is known to the next service by what it came with', async (t) => {
  recordSpans(t)
  const headers = { traceparent: sampled, tracestate: 'a=1,b=2', requestId: 'r-1' }
  t.strictSame(sentOn(headers), headers)
  t.strictSame(sentOn({ traceparent: notSampled }), { traceparent: notSampled })
  t.strictSame(sentOn({ requestId: 'r-1' }), { requestId: 'r-1' })
  t.strictSame(
    within(contextOf(headers), () => outsideOfRequests(requestHeaders)),
    {},
  )
  t.strictSame(requestHeaders(), {})
})

/** Each is as if there were none. Of versions to come only the part is read that this one has. */
const malformed = [
  '',
  'nonsense',
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}${'0'.repeat(8000)}-${spanId}-01`,
  `${sampled}, ${sampled}`,
  '-'.repeat(16_000),
]
for (const traceparent of malformed) {
  t.test(
    `traceparent of ${traceparent.slice(0, 60)} (${traceparent.length}) is none`,
    async (t) => {
      recordSpans(t)
      t.strictSame(sentOn({ traceparent, tracestate: 'a=1' }), {})
      t.notOk(isSampled(contextOf({ traceparent })))
    },
  )
}

t.test('of later versions and flags only what this one knows is read', async (t) => {
  recordSpans(t)
  t.strictSame(sentOn({ traceparent: `cc-${traceId}-${spanId}-01-more` }), { traceparent: sampled })
  t.strictSame(sentOn({ traceparent: `00-${traceId}-${spanId}-ff` }), { traceparent: sampled })
  t.strictSame(sentOn({ traceparent: `00-${traceId}-${spanId}-fe` }), { traceparent: notSampled })
})

t.test('a tracestate that is malformed or too long is left out', async (t) => {
  recordSpans(t)
  for (const tracestate of [
    'a',
    '=',
    'a=1=2',
    `a=${'b'.repeat(600)}`,
    'a=1,'.repeat(4000),
    'A B=1',
  ]) {
    const { tracestate: sent = '' } = sentOn({ traceparent: sampled, tracestate })
    t.ok(
      sent.length <= 512 && /^([a-z]+=[0-9b]+,?)*$/.test(sent),
      `${tracestate.slice(0, 20)}: ${sent}`,
    )
  }
})

t.test('work within a recorded request is a span below it', async (t) => {
  const spans = recordSpans(t)
  const result = await within(contextOf({ traceparent: sampled }), () =>
    inSpan(
      () => describe('outer'),
      async (span) => {
        span?.setAttribute('b', 2)
        await inSpan(
          () => describe('inner'),
          async () => {},
        )
        return requestHeaders().traceparent
      },
    ),
  )
  const [inner, outer] = spans()
  t.match(outer, {
    name: 'outer',
    attributes: { a: 1, b: 2 },
    parentSpanContext: { traceId, spanId },
  })
  t.equal(inner?.parentSpanContext?.spanId, outer?.spanContext().spanId)
  t.equal(result, `00-${traceId}-${outer?.spanContext().spanId}-01`)
})

t.test('work of a request that is not recorded, or of none, is no span', async (t) => {
  const spans = recordSpans(t)
  const work = () => inSpan(describe, async (span) => span)
  t.equal(await work(), undefined)
  t.equal(await within(contextOf({ traceparent: notSampled }), work), undefined)
  t.equal(await within(contextOf({ requestId: 'r' }), work), undefined)
  t.equal(await within(unsampled(contextOf({ traceparent: sampled })), work), undefined)
  t.strictSame(spans(), [])
})

t.test('without spans nothing is described, and the work is what it is', async (t) => {
  const fail = (): never => {
    throw new Error('described')
  }
  t.equal(await within(contextOf({ traceparent: sampled }), () => inSpan(fail, async () => 1)), 1)
})

const failures: readonly (readonly [
  unknown,
  SpanDescription['kind'],
  type: string,
  isFailed: boolean,
])[] = [
  [
    new AppError('not_found', 'flag_not_found', 'flag "secret" not found'),
    'server',
    'flag_not_found',
    false,
  ],
  [
    new AppError('not_found', 'flag_not_found', 'flag "secret" not found'),
    'client',
    'flag_not_found',
    true,
  ],
  [new AppError('unavailable', 'unavailable', 'secret'), 'server', 'unavailable', true],
  [Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }), 'client', 'ECONNREFUSED', true],
  [new TypeError('secret'), 'server', 'TypeError', true],
  ['secret', 'server', '_OTHER', true],
]
for (const [error, kind, type, isFailed] of failures) {
  t.test(`an error of ${type} in a ${kind} is told by its class alone`, async (t) => {
    const spans = recordSpans(t)
    const failing = within(contextOf({ traceparent: sampled }), () =>
      inSpan(
        () => ({ ...describe(), kind }),
        () => Promise.reject(error),
      ),
    )
    await t.rejects(failing)
    const [span] = spans()
    t.equal(span?.attributes['error.type'], type)
    t.strictSame(span?.status, { code: isFailed ? 2 : 0 })
    t.strictSame(span?.events, [])
  })
}

t.test('lines of the log have the ids of their request', async (t: Test) => {
  recordSpans(t)
  t.strictSame(logFields(), {})
  const arrived = contextOf({ traceparent: notSampled, requestId: 'r-1' })
  t.strictSame(within(arrived, logFields), { requestId: 'r-1', trace_id: traceId })
  const { span, context } = startSpan(describe(), contextOf({ traceparent: sampled }))
  const fields = within(context, () => logFields())
  t.strictSame(fields, { trace_id: traceId, span_id: span.spanContext().spanId })
  span.end()
})

t.test('contexts hold where no spans are recorded', async (t) => {
  keepContexts(t)
  const arrived = contextOf({ traceparent: sampled, requestId: 'r-1' })
  await within(arrived, async () => {
    await Promise.resolve()
    t.strictSame(logFields(), { requestId: 'r-1', trace_id: traceId })
    t.strictSame(requestHeaders(), { requestId: 'r-1', traceparent: sampled })
  })
})
