import { connect } from 'node:net'
import { AppError, type MaybePromise } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import { contextOf, type FastDistribution, startSpan } from '@svc/telemetry'
import { type ReadableSpan, recordSpans } from '@svc/telemetry/testing'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { addHealthRoutes, type Readiness } from '../health.ts'
import { clientAddressBehind } from './client-address.ts'
import { openEdge } from './edge.ts'
import { type AnswerBody, type Exchange, sendAnswer } from './exchange.ts'
import { openFastPath } from './fast-path.ts'
import { apiHeaders } from './headers.ts'
import { requestIdsBehind } from './request-ids.ts'
import { addRequestLog } from './request-log.ts'
import { addRequestMetrics, type DurationsOf } from './request-metrics.ts'

const usual = '{"a":1}'

/** A handler whose answers wait for the test, by both ways: a request that names an origin goes by the router. */
async function listen(t: Test) {
  const spans = recordSpans(t)
  const measured: number[] = []
  const lines: { readonly msg: string; readonly status?: number }[] = []
  const durationsOf: DurationsOf = (_method, _route, status) =>
    ({ record: () => measured.push(status) }) as unknown as FastDistribution
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const app = openEdge({ log })
  addRequestMetrics(app, durationsOf)
  addRequestLog(app)
  const waiting: PromiseWithResolversOf<AnswerBody>[] = []
  const serve = (exchange: Exchange): MaybePromise<AnswerBody> => {
    const { id: requestId } = exchange.request
    const description = { name: 'POST /hot', kind: 'server', attributes: {} } as const
    exchange.span = startSpan(description, contextOf({ requestId })).span
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  }
  app.post('/hot', async ({ exchange }, reply) =>
    sendAnswer(reply, exchange, await serve(exchange)),
  )
  app.get('/hijacked', async (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200)
    reply.raw.write('begun')
  })
  app.get('/stream', { config: { isStream: true } }, async () => 'an event')
  addHealthRoutes(app, { isReady: false, isDraining: false, parts: {} } as Readiness)
  const route = { url: '/hot', keyParam: undefined, serve, errorBody: undefined }
  openFastPath(app, {
    ...{ headers: apiHeaders, requestIdOf: requestIdsBehind([]) },
    ...{ addressOf: clientAddressBehind([]), arrivalOf: () => undefined },
    ...{ routes: new Map([['/hot', route]]), hasCors: false, onError: (error) => error },
    durationsOf,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  let open = 0
  app.server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  /** Sends, waits for a sign that the request is in work, and leaves. */
  const leave = async (text: string, isInWork: () => boolean) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {}).resume()
    socket.write(text)
    await waitFor(isInWork)
    socket.destroy()
    await waitFor(() => open === 0)
  }
  const statuses = () =>
    lines.filter(({ msg }) => msg === 'answered').map(({ status }) => Number(status))
  return { app, url, spans, measured, statuses, waiting, leave }
}

interface PromiseWithResolversOf<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

const ways = { 'the fast path': '', 'the router': 'origin: https://a.example\r\n' }

const post = (headers: string, body = usual) =>
  `POST /hot HTTP/1.1\r\nhost: x\r\ncontent-length: ${usual.length}\r\n${headers}\r\n${body}`

const statusesOf = (spans: readonly ReadableSpan[]) =>
  spans.map(({ attributes }) => attributes['http.response.status_code'])

for (const [name, headers] of Object.entries(ways)) {
  t.test(`on ${name}`, async (t) => {
    await t.test('an error is measured once when its client has left', async (t) => {
      const { spans, measured, statuses, waiting, leave } = await listen(t)
      await leave(post(headers), () => waiting.length === 1)
      t.strictSame([measured, spans(), statuses()], [[], [], []], 'not before it is known')
      waiting[0]?.reject(new AppError('unavailable', 'away', 'away'))
      await waitFor(() => statuses().length === 1)
      t.strictSame([measured, statusesOf(spans()), statuses()], [[503], [503], [503]])
    })

    await t.test('so is an answer', async (t) => {
      const { spans, measured, waiting, leave } = await listen(t)
      await leave(post(headers), () => waiting.length === 1)
      waiting[0]?.resolve('{}')
      await waitFor(() => measured.length === 1)
      t.strictSame([measured, statusesOf(spans())], [[200], [200]])
    })

    await t.test('a client that leaves before it has sent its body has no answer', async (t) => {
      const { app, measured, waiting, leave } = await listen(t)
      let begun = 0
      app.server.on('request', () => {
        begun += 1
      })
      await leave(post(headers, usual.slice(1)), () => begun === 1)
      await waitFor(() => measured.length === 1)
      t.strictSame([measured, waiting], [[499], []])
    })

    await t.test('requests that wait for the answer to another are measured', async (t) => {
      const { spans, measured, waiting, leave } = await listen(t)
      await leave(post(headers).repeat(3), () => waiting.length === 3)
      for (const { reject } of waiting) reject(new AppError('deadline_exceeded', 'late', 'late'))
      await waitFor(() => measured.length === 3)
      t.strictSame(measured, [504, 504, 504])
      t.equal(spans().length, 3)
    })

    await t.test('also when their answers were there, and the first one was not', async (t) => {
      const { spans, measured, waiting, leave } = await listen(t)
      const answerLast = () => {
        if (waiting.length < 2) return false
        waiting[1]?.reject(new AppError('unavailable', 'away', 'away'))
        return true
      }
      await leave(post(headers).repeat(2), answerLast)
      await waitFor(() => measured.length === 1)
      waiting[0]?.reject(new AppError('internal', 'broken', 'broken'))
      await waitFor(() => measured.length === 2)
      t.strictSame(measured, [503, 500])
      t.equal(spans().length, 2)
    })

    await t.test('what a client has waited for is measured once', async (t) => {
      const { url, spans, measured, waiting } = await listen(t)
      const origin: Record<string, string> = headers === '' ? {} : { origin: 'https://a.example' }
      const answer = fetch(`${url}/hot`, { method: 'POST', body: usual, headers: origin })
      await waitFor(() => waiting.length === 1)
      waiting[0]?.reject(new AppError('unavailable', 'away', 'away'))
      t.equal((await answer).status, 503)
      await waitFor(() => measured.length === 1 && spans().length === 1)
      await (await fetch(`${url}/hot`, { method: 'HEAD' })).text()
      await waitFor(() => measured.length === 2)
      t.strictSame(measured, [503, 405])
      t.strictSame(statusesOf(spans()), [503])
    })
  })
}

t.test('a client that leaves in the middle of an answer is measured by its status', async (t) => {
  const { app, measured, statuses, leave } = await listen(t)
  let begun = 0
  app.server.on('request', (_request, response) => {
    begun += response.headersSent ? 1 : 0
  })
  await leave('GET /hijacked HTTP/1.1\r\nhost: x\r\n\r\n', () => begun === 1)
  await waitFor(() => statuses().length === 1)
  t.strictSame([measured, statuses()], [[200], [200]])
})

t.test('what is answered by an event stream or a probe is not measured', async (t) => {
  const { url, measured, statuses } = await listen(t)
  await (await fetch(`${url}/stream`)).text()
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/readyz', '/healthz', '/health']) {
      await (await fetch(`${url}${path}`, { method })).text()
    }
  }
  await waitFor(() => statuses().length === 7)
  t.strictSame(statuses(), [200, 503, 200, 503, 503, 200, 503])
  t.strictSame(measured, [])
})
