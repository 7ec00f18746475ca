import type { ServerResponse } from 'node:http'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { connect } from './browser.ts'
import { openStream, refuse, startFlagServer } from './testing/flag-server.ts'

/** A storage as browsers have it, which may be full. */
function fakeStorage(t: Test) {
  const items = new Map<string, string>()
  const state = { items, isFull: false }
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem(key: string, value: string) {
      if (state.isFull) throw new Error('QuotaExceededError')
      items.set(key, value)
    },
  }
  t.intercept(globalThis, 'localStorage', { value: storage })
  return state
}

function fakeLog() {
  const lines: string[] = []
  const logger = { warn: (line: string) => void lines.push(line) }
  return { lines, logger }
}

/** A service with one flag, whose events the test sends. */
async function start(t: Test, { streams = true } = {}) {
  const state = { revision: 41, delayMs: 0, ended: 0, send: (_event: string) => {}, end: () => {} }
  const server = await startFlagServer(t, ({ url, body, headers }, response) => {
    if (url.startsWith('/ofrep/v1/evaluate/flags')) {
      const { targetingKey } = JSON.parse(body).context
      const etag = `"${state.revision} ${targetingKey}"`
      const requestUri = `/ofrep/v1/namespaces/default/events?since=${state.revision}`
      const flag = { key: 'color', reason: 'DEFAULT', metadata: {} }
      const value = `${targetingKey} ${state.revision}`
      const flags = [{ ...flag, variant: value, value }]
      const eventStreams = [{ endpoint: { requestUri } }]
      const isKnown = headers['if-none-match'] === etag
      setTimeout(() => {
        response.writeHead(isKnown ? 304 : 200, { etag })
        response.end(isKnown ? undefined : JSON.stringify({ flags, eventStreams }))
      }, state.delayMs)
    } else if (!streams) refuse(response, 503, 'there are too many streams')
    else {
      openStream(response, `id: ${state.revision}\n\n`)
      response.on('close', () => state.ended++)
      state.send = (event) => response.write(event)
      state.end = () => response.destroy()
    }
  })
  const statuses = () => server.asked.filter(({ method }) => method === 'POST').length
  const change = (revision: number) => {
    state.revision = revision
    const data = `{"type":"refetchEvaluation","etag":"default:${revision}"}`
    state.send(`id: ${revision}\ndata: ${data}\n\n`)
  }
  return { server, state, statuses, change }
}

const subject = { entityId: 'u1' }

t.test(
  'a page says once that its token is no secret, and where it has none, nothing',
  async (t) => {
    t.intercept(globalThis, 'document', { value: {} })
    const { server } = await start(t)
    const { lines, logger } = fakeLog()
    const options = { url: server.url, subject, logger }
    await (await connect(options)).close()
    t.strictSame(lines, [])
    for (let i = 0; i < 2; i++) {
      await (await connect({ ...options, credential: { token: 'svc_secret' } })).close()
    }
    t.equal(lines.length, 1)
    t.match(lines, [
      /this page has a token that each of its visitors can read, and that may change/,
    ])
    t.notMatch(lines[0], 'svc_secret')
  },
)

t.test('what pages do not have is refused', async (t) => {
  const url = 'http://127.0.0.1'
  const invalid = { name: 'SvcError', code: 3 }
  await t.rejects(connect({ url, mode: 'local' as 'remote' }), invalid)
  await t.rejects(connect(undefined as unknown as { url: string }), invalid)
  await t.rejects(connect({ url, credential: { tokenFile: 'x' } }), invalid)
  await t.rejects(connect({ url, credential: { serviceAccount: {} } }), invalid)
  await t.rejects(connect({ url, lastKnownGood: 'x' } as { url: string }), invalid)
})

t.test('several events are one request, which asks for the last of them', async (t) => {
  t.intercept(Math, 'random', { value: () => 0.1 })
  const { server, statuses, change } = await start(t)
  const flags = await connect({ url: server.url, subject })
  t.teardown(() => flags.close())
  t.equal(flags.variant('color', undefined, ''), 'u1 41')
  await waitFor(() => server.asked.some(({ url }) => url.includes('/events')))
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const revision of [42, 43, 44]) change(revision)
  await waitFor(() => flags.revision === 44)
  t.equal(flags.variant('color', undefined, ''), 'u1 44')
  t.equal(statuses(), 2)
  t.match(server.asked.at(-1)?.url, 'flagConfigEtag=default%3A44')
})

t.test('a revision is awaited where no stream works, too', async (t) => {
  const { server, state } = await start(t, { streams: false })
  const flags = await connect({ url: server.url, subject, logger: fakeLog().logger })
  t.teardown(() => flags.close())
  setTimeout(() => {
    state.revision = 42
  }, 100)
  await flags.waitFor('default:42', { timeoutMs: 5000 })
  t.equal(flags.variant('color', undefined, ''), 'u1 42')
})

t.test('a change is not lost with the stream that announced it', async (t) => {
  t.intercept(Math, 'random', { value: () => 0.9 })
  const { server, state, change } = await start(t)
  const flags = await connect({ url: server.url, subject })
  t.teardown(() => flags.close())
  await waitFor(() => server.asked.some(({ url }) => url.includes('/events')))
  await new Promise((resolve) => setTimeout(resolve, 20))
  change(42)
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.intercept(Math, 'random', { value: () => 0.1 })
  state.end()
  await waitFor(() => flags.revision === 42)
})

t.test('a page that is hidden for two minutes has no stream until it is seen', async (t) => {
  const page = { visibilityState: 'hidden' }
  t.intercept(globalThis, 'document', { value: page })
  const now = performance.now.bind(performance)
  let passedMs = 0
  t.intercept(performance, 'now', { value: () => now() + passedMs })
  const { server, state } = await start(t)
  const flags = await connect({ url: server.url, subject })
  t.teardown(() => flags.close())
  const streams = () => server.asked.filter(({ url }) => url.includes('/events')).length
  await waitFor(() => streams() === 1)
  passedMs = 120_000
  await waitFor(() => state.ended === 1)
  state.revision = 42
  page.visibilityState = 'visible'
  await waitFor(() => streams() === 2 && flags.revision === 42)
})

t.test('answers that are older than what is there already are not kept', async (t) => {
  t.intercept(Math, 'random', { value: () => 0 })
  const { server, state, change } = await start(t)
  const flags = await connect({ url: server.url, subject })
  t.teardown(() => flags.close())
  await waitFor(() => server.asked.some(({ url }) => url.includes('/events')))
  await new Promise((resolve) => setTimeout(resolve, 20))
  change(42)
  await waitFor(() => flags.revision === 42)
  // A gateway that lags.
  state.revision = 41
  await flags.setContext({ entityId: 'u2' })
  t.equal(flags.variant('color', undefined, ''), 'u2 41')
  state.revision = 42
  await waitFor(() => flags.variant('color', undefined, '') === 'u2 42')
})

t.test('answers that come late are not those of another subject', async (t) => {
  const { server, state } = await start(t)
  const flags = await connect({ url: server.url, subject })
  t.teardown(() => flags.close())
  state.delayMs = 50
  const first = flags.setContext({ entityId: 'u2' })
  state.delayMs = 0
  await flags.setContext({ entityId: 'u3' })
  t.equal(flags.variant('color', undefined, ''), 'u3 41')
  await first
  t.equal(flags.variant('color', undefined, ''), 'u3 41')
  server.handle((_asked, response) => refuse(response, 503, 'try again'))
  await t.rejects(flags.setContext({ entityId: 'u4' }), { name: 'SvcError', status: 503 })
  t.equal(flags.variant('color', { entityId: 'u3' }, ''), 'u3 41')
})

t.test('a context that was overtaken ends as the last one does', async (t) => {
  const { server } = await start(t)
  const flags = await connect({ url: server.url, subject })
  t.teardown(() => flags.close())
  for (const isFirstOneLast of [false, true]) {
    const held = new Map<string, ServerResponse>()
    server.handle(({ body }, response) => {
      const id = /"targetingKey":"(u[23])"/.exec(body)?.[1]
      if (id !== undefined) held.set(id, response)
    })
    const first = flags.setContext({ entityId: 'u2' }).catch(({ status }) => status)
    const second = flags.setContext({ entityId: 'u3' }).catch(({ status }) => status)
    await waitFor(() => held.size === 2)
    const answer = () => held.get('u2')?.end('{"flags":[]}')
    if (!isFirstOneLast) answer()
    const response = held.get('u3')
    if (response !== undefined) refuse(response, 503, 'try again')
    t.equal(await second, 503)
    if (isFirstOneLast) answer()
    t.equal(await first, 503, 'its answers are not shown')
    t.equal(flags.variant('color', subject, ''), 'u1 41')
  }
})

t.test('a context that refers to itself is refused, or gets the default', async (t) => {
  const { server } = await start(t)
  const flags = await connect({ url: server.url, subject, logger: fakeLog().logger })
  t.teardown(() => flags.close())
  const circular: Record<string, unknown> = {}
  circular.self = circular
  await t.rejects(flags.setContext({ entityId: 'u2', context: circular }), TypeError)
  t.equal(flags.evaluate('color', { entityId: 'u1', context: circular }).error, 'GENERAL')
})

t.test('answers that were kept are there before the service is', async (t) => {
  const { items } = fakeStorage(t)
  const { server } = await start(t)
  const options = { url: server.url, subject, persist: true, logger: fakeLog().logger }
  await (await connect(options)).close()
  t.equal(items.size, 1)
  server.close()
  const flags = await connect(options)
  t.teardown(() => flags.close())
  t.equal(flags.variant('color', undefined, ''), 'u1 41')
  t.equal(flags.revision, 41)
  t.equal(flags.isStale, true)
  const other = { ...options, subject: { entityId: 'u2' }, readyTimeoutMs: 50 }
  await t.rejects(connect(other), { code: 14 }, 'not for another subject')
  for (const key of items.keys()) items.set(key, '{"version":1')
  await t.rejects(connect({ ...options, readyTimeoutMs: 50 }), { code: 14 })
})

t.test('a storage that is full, or is not there, changes nothing', async (t) => {
  const state = fakeStorage(t)
  state.isFull = true
  const { server } = await start(t)
  const { lines, logger } = fakeLog()
  const flags = await connect({ url: server.url, subject, persist: true, logger })
  await flags.close()
  t.equal(flags.variant('color', undefined, ''), 'u1 41')
  t.strictSame(lines, ['svc flags: the answers cannot be stored: QuotaExceededError'])
})
