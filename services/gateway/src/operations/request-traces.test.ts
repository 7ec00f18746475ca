import { request } from 'node:http'
import { waitFor } from '@svc/runtime/testing'
import { keepContexts, type ReadableSpan, recordSpans } from '@svc/telemetry/testing'
import { pino } from 'pino'
import t from 'tap'
import { startBefore } from '../gateway.test.support.ts'
import { TraceLimiter } from './request-traces.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const sampled = `00-${traceId}-${spanId}-01`
const notSampled = `00-${traceId}-${spanId}-00`

t.test('a limiter lets so many begin in each second', async (t) => {
  let now = 0
  const limiter = new TraceLimiter(2, () => now)
  const begun = () => [limiter.tryBegin(), limiter.tryBegin(), limiter.tryBegin()]
  t.strictSame(begun(), [true, true, false])
  now = 999
  t.equal(limiter.tryBegin(), false)
  now = 1000
  t.strictSame(begun(), [true, true, false])
  t.equal(new TraceLimiter(0).tryBegin(), false)
})

const serverSpans = (spans: readonly ReadableSpan[]) =>
  spans.filter(({ kind, attributes }) => kind === 1 && attributes['http.route'] !== undefined)

/** Sends an evaluation with these headers, and waits for its answer. */
async function evaluate(url: string, headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify({ flagKey: 'a', entityId: 'user-1' })
  const answer = await fetch(`${url}/evaluate/v1/boolean`, { method: 'POST', headers, body })
  await answer.text()
  return answer.status
}

t.test('a request that calls a service is recorded, with all its calls', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t)
  const headers = { authorization: 'Bearer good-1' }
  const answer = await fetch(`${url}/auth/v1/self?ticket=secret`, { headers })
  t.equal(answer.status, 200)
  await waitFor(() => serverSpans(spans()).length === 1)
  const [root] = serverSpans(spans())
  t.match(root, {
    name: 'GET /auth/v1/self',
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/auth/v1/self',
      'http.response.status_code': 200,
      'svc.request_id': answer.headers.get('x-request-id'),
    },
  })
  t.equal(root?.parentSpanContext, undefined)
  const below = spans().filter(
    (span) => span.parentSpanContext?.spanId === root?.spanContext().spanId,
  )
  t.strictSame(
    below.map(({ name }) => name),
    ['svc.auth.v1.IdentityService/Authenticate', 'svc.auth.v1.AuthenticationService/GetSelf'],
  )
  t.notMatch(JSON.stringify(spans().map(({ attributes }) => attributes)), /secret|good-1/)
})

t.test('it continues the trace of its caller, and is not recorded if that is not', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t)
  const ask = async (traceparent: string) => {
    const headers = { authorization: 'Bearer good-1', traceparent, baggage: 'a=secret' }
    await (await fetch(`${url}/auth/v1/self`, { headers })).text()
  }
  await ask(notSampled)
  await ask(sampled)
  await waitFor(() => serverSpans(spans()).length === 1)
  const [root] = serverSpans(spans())
  t.strictSame([root?.spanContext().traceId, root?.parentSpanContext?.spanId], [traceId, spanId])
  t.strictSame([...new Set(spans().map((span) => span.spanContext().traceId))], [traceId])
})

t.test('an evaluation is recorded for an authenticated caller that asks for it', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t)
  const authorization = 'Bearer good-1'
  const unasked: Record<string, string>[] = [
    { authorization },
    { authorization, traceparent: notSampled },
    { authorization, traceparent: 'nonsense' },
    { authorization: 'Bearer bad', traceparent: sampled },
    { traceparent: sampled },
  ]
  for (const headers of unasked) await evaluate(url, headers)
  // There are no flags in this gateway.
  t.equal(await evaluate(url, { authorization, traceparent: sampled }), 503)
  await waitFor(() => serverSpans(spans()).length > 0)
  t.strictSame(
    spans().map(({ name, attributes }) => [name, attributes['http.response.status_code']]),
    [['POST /evaluate/v1/boolean', 503]],
  )
})

t.test('an event stream is not recorded, as nothing ends it', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t)
  const headers = { authorization: 'Bearer good-1', traceparent: sampled }
  const stream = await fetch(`${url}/internal/v1/evaluation/stream/namespace/default`, { headers })
  await stream.body?.cancel()
  await evaluate(url, headers)
  await waitFor(() => spans().length > 0)
  t.strictSame(
    spans().map(({ name }) => name),
    ['POST /evaluate/v1/boolean'],
  )
})

t.test('of two traceparent headers there is none that counts', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t)
  const headers = ['Authorization', 'Bearer good-1', 'traceparent', sampled, 'traceparent', sampled]
  const body = '{}'
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${url}/evaluate/v1/boolean`, {
      method: 'POST',
      headers: [...headers, 'Content-Length', String(body.length)],
    })
    sent
      .on('response', (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end(body)
  })
  t.strictSame(spans(), [])
})

t.test('callers that record every trace begin no more than the limit', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t, { SVC_TELEMETRY_TRACES_PER_SECOND: '2' })
  const startedAt = performance.now()
  const headers = { authorization: 'Bearer good-1', traceparent: sampled }
  for (let i = 0; i < 100; i++) await evaluate(url, headers)
  const seconds = Math.floor((performance.now() - startedAt) / 1000) + 2
  const { length } = serverSpans(spans())
  t.ok(length >= 2 && length <= 2 * seconds, `${length} in ${seconds} s`)
})

t.test('a caller without credentials cannot take the traces of one that has them', async (t) => {
  const spans = recordSpans(t)
  const { url } = await startBefore(t, { SVC_TELEMETRY_TRACES_PER_SECOND: '1' })
  await evaluate(url, { authorization: 'Bearer good-1' })
  for (let i = 0; i < 50; i++) {
    const headers = { authorization: `Bearer bad-${i}`, traceparent: sampled }
    await (await fetch(`${url}/auth/v1/self`, { headers })).text()
    await evaluate(url, headers)
  }
  await evaluate(url, { authorization: 'Bearer good-1', traceparent: sampled })
  await waitFor(() => serverSpans(spans()).some(({ name }) => name === 'POST /evaluate/v1/boolean'))
  t.pass()
})

t.test('lines of a request name its trace', async (t) => {
  recordSpans(t)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const { url } = await startBefore(t, { SVC_LOG_REQUESTS: 'true' }, log)
  const headers = { authorization: 'Bearer good-1', traceparent: sampled }
  const answer = await fetch(`${url}/auth/v1/self`, { headers })
  await waitFor(() => lines.some((line) => line.includes('answered')))
  const [line = '{}', ...others] = lines.filter((line) => line.includes('answered'))
  t.strictSame(others, [])
  t.match(JSON.parse(line), { trace_id: traceId, requestId: answer.headers.get('x-request-id') })
  t.equal(line.match(/"requestId"/g)?.length, 1)
})

t.test('so do those of an evaluation that is not recorded', async (t) => {
  keepContexts(t)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const { url } = await startBefore(t, { SVC_LOG_REQUESTS: 'true' }, log)
  await evaluate(url, { authorization: 'Bearer good-1', traceparent: sampled })
  await waitFor(() => lines.some((line) => line.includes('answered')))
  const line = JSON.parse(lines.find((line) => line.includes('answered')) ?? '{}')
  t.match(line, { trace_id: traceId, requestId: /./ })
  t.notOk('span_id' in line)
})
