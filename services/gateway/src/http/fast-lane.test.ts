import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import t from 'tap'
import { readJson } from './body.ts'
import { compressedFromBytes } from './compression.ts'
import { addEdge } from './edge.ts'
import { openFastLane, type QuickAnswer } from './fast-lane.ts'
import { apiHeaders } from './headers.ts'
import { newRequestId } from './request-ids.ts'
import { serverOptions } from './server-options.ts'

type Test = Pick<typeof t, 'teardown'>

/** The lane tells what it saw, the route echoes; so an answer tells who has given it. */
async function listen(t: Test, quick: QuickAnswer = () => '{"by":"lane"}', hasCors = false) {
  const app = Fastify(serverOptions)
  addEdge(app)
  for (const url of ['/hot', '/hot/:key']) {
    app.post(url, async (request) => ({ by: 'route', body: readJson(request) }))
  }
  const answers = new Map([
    ['/hot', quick],
    ['/hot/:key', quick],
  ])
  openFastLane(app, { answers, hasCors, headers: apiHeaders, requestIdOf: newRequestId })
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

const byRoute = /"by":"route"/
const byLane = /"by":"lane"/

t.test('answers the usual request with the headers of every answer', async (t) => {
  const { url } = await listen(t, ({ body, headers, id }) => {
    headers.push('x-extra', '1')
    return JSON.stringify({ by: 'lane', body: body.toString(), id })
  })
  const answer = await fetch(`${url}/hot`, { method: 'POST', body: '{"a":"ü"}' })
  const { by, body, id } = (await answer.json()) as Record<string, string>
  t.strictSame({ status: answer.status, by, body }, { status: 200, by: 'lane', body: '{"a":"ü"}' })
  for (const [name, value] of Object.entries(apiHeaders)) t.equal(answer.headers.get(name), value)
  t.equal(answer.headers.get('content-type'), 'application/json')
  t.equal(answer.headers.get('x-extra'), '1')
  t.equal(answer.headers.get('x-request-id'), id)
  t.equal(answer.headers.get('vary'), null)
})

t.test('hands over the last segment of the URL, when it can be a key', async (t) => {
  const { port } = await listen(t, ({ key }) => `{"by":"lane","key":"${key}"}`)
  t.match(await send(port, post('{}', '', '/hot/a-b_c,1')), /"key":"a-b_c,1"/)
  for (const url of ['/hot/a%62', '/hot/a?b', '/hot/', '/hot/a/b', '/cold', '/hot?', '//hot']) {
    t.notMatch(await send(port, post('{}', '', url)), byLane, url)
  }
})

t.test('takes a body in as many parts as it comes in', async (t) => {
  const { port } = await listen(t, ({ body }) => `{"by":"lane","body":${body}}`)
  const [head, ...parts] = post('{"a":"ü","b":"ü"}').split('ü')
  t.match(await send(port, `${head}\u00fc`, ...parts.join('ü|').split('|')), /"by":"lane".*"b":"ü"/)
})

t.test('answers requests that are sent without waiting in their order', async (t) => {
  let count = 0
  const { port } = await listen(t, () => `{"by":"lane","n":${count++}}`)
  const open = post('{}').replace('close', 'keep-alive')
  const text = await send(port, open + open + post('{}', 'origin: x\r\n'))
  t.strictSame(text.match(/"n":\d|"by":"route"/g), ['"n":0', '"n":1', '"by":"route"'])
})

const unusual: Readonly<Record<string, string>> = {
  'a page of another origin': post('{"a":1}', 'origin: https://a.example\r\n'),
  'a body without a length':
    'POST /hot HTTP/1.1\r\nhost: x\r\nconnection: close\r\n' +
    'transfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
  'a long request, when the answer may be compressed': post(
    `{"a":1}${' '.repeat(compressedFromBytes)}`,
    'accept-encoding: gzip\r\n',
  ),
}

for (const [name, request] of Object.entries(unusual)) {
  t.test(`leaves ${name} to the route`, async (t) => {
    const { port } = await listen(t)
    t.match(await send(port, request), /"by":"route","body":\{"a":1\}/)
  })
}

t.test('leaves what it refuses to the route', async (t) => {
  const { port } = await listen(t)
  t.match(await send(port, post('{}', 'content-encoding: gzip\r\n')), /^HTTP\/1.1 415 /)
  t.match(await send(port, post('')), byRoute)
  const large = `POST /hot HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 99999999\r\n\r\n`
  t.match(await send(port, large), /^HTTP\/1.1 413 /)
  t.match(await send(port, post('{}').replace('POST', 'PUT')), /^HTTP\/1.1 405 /)
})

t.test('leaves to the route, with its body, what has no quick answer', async (t) => {
  const odd: Readonly<Record<string, QuickAnswer>> = {
    nothing: () => undefined,
    'an error': () => {
      throw new Error('no')
    },
  }
  for (const [what, quick] of Object.entries(odd)) {
    const { url } = await listen(t, quick)
    const answer = await fetch(`${url}/hot`, { method: 'POST', body: '{"a":"ü"}' })
    t.equal(answer.status, 200, what)
    t.strictSame(await answer.json(), { by: 'route', body: { a: 'ü' } })
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
})

t.test('leaves a long answer to be compressed to the route', async (t) => {
  const long = `{"by":"lane","x":"${'x'.repeat(compressedFromBytes)}"}`
  const { port } = await listen(t, () => long)
  t.match(await send(port, post('{}')), byLane)
  t.match(await send(port, post('{}', 'accept-encoding: gzip\r\n')), byRoute)
})

t.test('says that answers vary by origin when other origins are answered', async (t) => {
  const { port } = await listen(t, () => '{"by":"lane"}', true)
  t.match(await send(port, post('{}')), /\r\nvary: Origin\r\n/)
})

t.test('closes connections once the server is closing', async (t) => {
  const { app, port } = await listen(t)
  const request = post('{"a":1}').replace('connection: close\r\n', '')
  const sent = send(port, request.slice(0, -3), request.slice(-3))
  await sleep(10)
  const closed = app.close()
  const text = await sent
  t.match(text, /^HTTP\/1.1 200 /)
  t.match(text, /\r\nconnection: close\r\n/i)
  await closed
})
