import { once } from 'node:events'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import cors from '@fastify/cors'
import { AppError, type MaybePromise } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import type { FastDistribution } from '@svc/telemetry'
import t from 'tap'
import { clientAddressBehind } from './client-address.ts'
import { addCompression, compressedFromBytes } from './compression.ts'
import { openEdge } from './edge.ts'
import { type AnswerBody, type Exchange, sendAnswer } from './exchange.ts'
import { openFastPath } from './fast-path.ts'
import { apiHeaders } from './headers.ts'
import { parseJsonObject } from './json.ts'
import { requestIdsBehind } from './request-ids.ts'
import { addRequestMetrics, type DurationsOf } from './request-metrics.ts'

type Test = Pick<typeof t, 'teardown'>

type Serve = (exchange: Exchange) => MaybePromise<AnswerBody>

/** Answers with its body, and with the way it came. */
const echo: Serve = ({ request }) =>
  JSON.stringify({
    by: 'path',
    key: request.params.key,
    body: parseJsonObject(request.body ?? Buffer.alloc(0)),
  })

/** One function by both ways; an answer has the one by which its request came. */
async function listen(t: Test, serve: Serve = echo, hasCors = false, durationsOf?: DurationsOf) {
  const app = openEdge()
  if (durationsOf !== undefined) addRequestMetrics(app, durationsOf)
  if (hasCors) await app.register(cors, { origin: ['https://a.example'] })
  await addCompression(app)
  const addressOf = clientAddressBehind([])
  for (const url of ['/hot', '/hot/:key']) {
    app.post(url, async ({ exchange, body }, reply) => {
      exchange.request.body = Buffer.isBuffer(body) ? body : undefined
      const answer = await serve(exchange)
      return sendAnswer(reply, exchange, String(answer).replace('"by":"path"', '"by":"router"'))
    })
  }
  const routes = new Map([
    ['/hot', { url: '/hot', keyParam: undefined, serve, errorBody: undefined }],
    ['/hot/:', { url: '/hot/:key', keyParam: 'key', serve, errorBody: undefined }],
  ])
  const edge = {
    ...{ headers: apiHeaders, requestIdOf: requestIdsBehind([]), addressOf },
    arrivalOf: () => undefined,
  }
  openFastPath(app, { ...edge, routes, hasCors, onError: (error) => error, durationsOf })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return { app, url, port: Number(new URL(url).port) }
}

/** As it is on the wire: `fetch` adds headers of its own. */
function send(port: number, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', async () => {
      for (const part of parts) {
        socket.write(part)
        await sleep(20)
      }
    })
    let text = ''
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer in 5 s')))
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

function post(body: string, headers = '', url = '/hot'): string {
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`
  return `POST ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${length}${headers}\r\n${body}`
}

const byRouter = /"by":"router"/
const byPath = /"by":"path"/

t.test('answers the usual request with the headers of every answer', async (t) => {
  const { url } = await listen(t, (exchange) => {
    exchange.setHeader('x-extra', '1')
    const { body, id } = exchange.request
    return JSON.stringify({ by: 'path', body: String(body), id })
  })
  const answer = await fetch(`${url}/hot`, { method: 'POST', body: '{"a":"ü"}' })
  const { by, body, id } = (await answer.json()) as Record<string, string>
  t.strictSame({ status: answer.status, by, body }, { status: 200, by: 'path', body: '{"a":"ü"}' })
  for (const [name, value] of Object.entries(apiHeaders)) t.equal(answer.headers.get(name), value)
  t.equal(answer.headers.get('content-type'), 'application/json')
  t.equal(answer.headers.get('x-extra'), '1')
  t.equal(answer.headers.get('x-request-id'), id)
  t.equal(answer.headers.get('vary'), null)
})

t.test('takes the last segment of the URL for a parameter, when it can be a key', async (t) => {
  const { port } = await listen(t)
  t.match(await send(port, post('{}', '', '/hot/a-b_c,1')), /"by":"path","key":"a-b_c,1"/)
  for (const url of ['/hot/a%62', '/hot/a?b', '/hot/', '/hot/a/b', '/cold', '/hot?', '//hot']) {
    t.notMatch(await send(port, post('{}', '', url)), byPath, url)
  }
})

t.test('takes a body in as many parts as it comes in', async (t) => {
  const { port } = await listen(t)
  const [head, ...parts] = post('{"a":"ü","b":"ü"}').split('ü')
  t.match(await send(port, `${head}\u00fc`, ...parts.join('ü|').split('|')), /"by":"path".*"b":"ü"/)
})

t.test(
  'takes a batch of 1,000 evaluations, and leaves a body that is counted to the router',
  async (t) => {
    const { port } = await listen(t)
    const batch = JSON.stringify({ requests: Array(1000).fill({ flagKey: 'on' }) })
    t.match(await send(port, post(batch)), byPath)
    t.match(await send(port, post(JSON.stringify({ a: 'x'.repeat(32_000) }))), byRouter)
  },
)

t.test('waits for the body of a client that asks whether to send it', async (t) => {
  const { port } = await listen(t)
  const [head, body] = post('{"a":1}', 'expect: 100-continue\r\n').split('\r\n\r\n')
  const text = await send(port, `${head}\r\n\r\n`, body ?? '')
  t.match(text, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/)
  t.match(text, byPath)
})

t.test('answers requests that are sent without waiting in their order', async (t) => {
  let count = 0
  const { port } = await listen(t, async () => {
    const n = count++
    // The first takes the longest.
    await sleep(20 - 10 * n)
    return `{"by":"path","n":${n}}`
  })
  const open = post('{}').replace('close', 'keep-alive')
  const text = await send(port, open + open + post('{}', 'origin: x\r\n'))
  t.strictSame(text.match(/"n":\d/g), ['"n":0', '"n":1', '"n":2'])
  t.match(text, byRouter)
})

t.test('has nothing to answer to a client that leaves', async (t) => {
  let answered = 0
  const { port, url } = await listen(t, async () => {
    await sleep(50)
    answered++
    return '{"by":"path"}'
  })
  for (const text of [post('{"a":1}').slice(0, -3), post('{"a":1}')]) {
    const socket = connect(port, '127.0.0.1')
    socket.write(text)
    await sleep(20)
    socket.destroy()
  }
  const answer = await fetch(`${url}/hot`, { method: 'POST', body: '{}' })
  t.equal(answer.status, 200)
  t.equal(answered, 2, 'the request whose body did not come was never served')
})

const unusual: Readonly<Record<string, string>> = {
  'a page of another origin': post('{"a":1}', 'origin: https://a.example\r\n'),
  'a body without a length':
    'POST /hot HTTP/1.1\r\nhost: x\r\nconnection: close\r\n' +
    'transfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
}

for (const [name, request] of Object.entries(unusual)) {
  t.test(`leaves ${name} to the router`, async (t) => {
    const { port } = await listen(t)
    t.match(await send(port, request), /"by":"router","body":\{"a":1\}/)
  })
}

t.test('leaves to the router what it refuses', async (t) => {
  const { port } = await listen(t)
  t.match(await send(port, post('{}', 'content-encoding: gzip\r\n')), /^HTTP\/1.1 415 /)
  t.match(await send(port, post('')), byRouter)
  const large = `POST /hot HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 99999999\r\n\r\n`
  t.match(await send(port, large), /^HTTP\/1.1 413 /)
  t.match(await send(port, post('{}').replace('POST', 'PUT')), /^HTTP\/1.1 405 /)
  t.match(await send(port, post('{}').replace('POST', 'HEAD')), /^HTTP\/1.1 405 /)
})

t.test('answers errors as the router does, at once or later', async (t) => {
  const errors: readonly [Error, number][] = [
    [new AppError('not_found', 'no', 'not there'), 404],
    [new AppError('unauthenticated', 'no', 'not known'), 401],
    [new AppError('unavailable', 'no', 'later'), 503],
    [new TypeError('secret'), 500],
  ]
  for (const [error, status] of errors) {
    for (const isLate of [false, true]) {
      const { url } = await listen(t, (exchange) => {
        exchange.setHeader('x-extra', '1')
        if (isLate) return Promise.reject(error)
        throw error
      })
      const ask = (headers: Record<string, string>) =>
        fetch(`${url}/hot`, { method: 'POST', body: '{}', headers })
      const [fast, routed] = await Promise.all([ask({}), ask({ origin: 'https://a.example' })])
      t.equal(fast.status, status)
      t.equal(await fast.text(), await routed.text())
      t.equal(fast.headers.get('x-extra'), '1')
      for (const name of ['www-authenticate', 'retry-after', 'cache-control', 'content-type']) {
        t.equal(fast.headers.get(name), routed.headers.get(name), name)
      }
    }
  }
})

t.test('has a long answer compressed, where the client accepts that', async (t) => {
  const long = `{"by":"path","x":"${'x'.repeat(compressedFromBytes)}"}`
  let served = 0
  const { url, port } = await listen(t, () => {
    served++
    return long
  })
  t.match(await send(port, post('{}')), byPath)
  t.equal(served, 1)
  for (const encoding of ['gzip', 'deflate', 'br']) {
    const answer = await fetch(`${url}/hot`, {
      method: 'POST',
      body: '{}',
      headers: { 'accept-encoding': encoding },
    })
    const expected = encoding === 'br' ? null : encoding
    t.equal(answer.headers.get('content-encoding'), expected)
    t.match(answer.headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
    t.equal(await answer.text(), long)
  }
  t.equal(served, 4, 'each was served once')
  const text = await send(port, post('{}', 'accept-encoding: gzip\r\n'))
  t.match(text, /\r\nvary: accept-encoding\r\n/i)
})

t.test('measures from the arrival of a request, whichever way it is answered', async (t) => {
  const waitMs = 60
  const long = `{"x":"${'x'.repeat(compressedFromBytes)}"}`
  const measured: (readonly [status: number, seconds: number])[] = []
  const durationsOf: DurationsOf = (_method, route, status) => {
    if (route !== '/hot') throw new Error(`measured as ${route}`)
    const record = (seconds: number) => measured.push([status, seconds])
    return { record } as unknown as FastDistribution
  }
  const answers: Serve[] = [
    echo,
    () => long,
    () => {
      throw new AppError('unavailable', 'away', 'away')
    },
  ]
  for (const answer of answers) {
    const serve: Serve = async (exchange) => {
      await sleep(waitMs)
      return answer(exchange)
    }
    const { port } = await listen(t, serve, false, durationsOf)
    await send(port, post('{}'))
  }
  await waitFor(() => measured.length === answers.length)
  t.strictSame(
    measured.map(([status]) => status),
    [200, 200, 503],
  )
  // A timer may be a millisecond early.
  for (const [status, seconds] of measured) t.ok(seconds >= (waitMs - 2) / 1000, `${status}`)
})

t.test('says that answers vary by origin when other origins are answered', async (t) => {
  const serve: Serve = ({ request, ...exchange }) => {
    if (request.params.key) exchange.headers.push('vary', 'X-Extra')
    return '{"by":"path"}'
  }
  const { port } = await listen(t, serve, true)
  t.match(await send(port, post('{}')), /\r\nvary: Origin\r\n/)
  t.match(await send(port, post('{}', '', '/hot/a')), /\r\nvary: Origin, X-Extra\r\n/)
})

t.test('an answer without a body has no length', async (t) => {
  const { url } = await listen(t, (exchange) => {
    exchange.status = 304
    return undefined
  })
  const { status, headers } = await fetch(`${url}/hot`, { method: 'POST', body: '{}' })
  t.strictSame(
    [status, headers.get('content-length'), headers.get('content-type')],
    [304, null, null],
  )
})

t.test('closes connections once the server is closing', async (t) => {
  const { app, port } = await listen(t)
  const request = post('{"a":1}').replace('connection: close\r\n', '')
  const begun = once(app.server, 'request')
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.write(request.slice(0, -3))
  await begun
  const closed = app.close()
  await waitFor(() => !app.server.listening)
  socket.write(request.slice(-3))
  const answer = await textOf(socket)
  t.match(answer, /^HTTP\/1.1 200 /)
  t.match(answer, /\r\nconnection: close\r\n/i)
  await closed
})
