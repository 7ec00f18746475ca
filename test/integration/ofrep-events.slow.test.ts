import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { openEvents } from '../support/event-source.ts'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const flags = '/api/v1/namespaces/default/flags'
const bulk = '/ofrep/v1/evaluate/flags'
const eventsOf = (namespaceKey: string) => `/ofrep/v1/namespaces/${namespaceKey}/events`

t.test('event streams of OFREP', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t)
  const [url] = urls
  const asAdmin = { authorization: `Bearer ${token}` }
  await api('POST', flags, { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true })
  await api('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })

  /** @returns the revision */
  const change = async (name: string) => {
    const { headers } = await api('PUT', `${flags}/on`, { name, enabled: true })
    return (headers.get('x-svc-revision') ?? '').replace('default:', '')
  }
  const uriFor = async (headers: Record<string, string> = asAdmin, namespaceKey = 'default') => {
    const asked = { 'X-Svc-Namespace': namespaceKey, ...headers }
    const { body } = await call(url, 'POST', bulk, { context: { targetingKey: 'a' } }, asked)
    const [stream] = (body as { eventStreams: { endpoint: { requestUri: string } }[] }).eventStreams
    return stream?.endpoint.requestUri ?? ''
  }
  const open = (uri: string, headers = {}) => openEvents(t, url + uri, headers)
  const statusOf = async (uri: string, headers = {}) => {
    const client = await open(uri, headers)
    client.close()
    return client.status
  }
  const eventOf = (revision: string) => ({
    id: revision,
    data: { type: 'refetchEvaluation', etag: `default:${revision}` },
  })

  await t.test('are where a bulk evaluation says, for clients without headers', async (t) => {
    const answer = await api('POST', bulk, { context: { targetingKey: 'a' } })
    t.match(answer.body, {
      eventStreams: [
        {
          type: 'sse',
          endpoint: {
            requestUri: /^\/ofrep\/v1\/namespaces\/default\/events\?since=\d+&ticket=\S+$/,
          },
          inactivityDelaySec: 120,
        },
      ],
    })
    t.equal(await uriFor(), await uriFor(), 'always the same one')
    t.notMatch(await uriFor(), token)
  })

  await t.test('report each change in the namespace, once, and no other', async (t) => {
    const client = await open(await uriFor())
    t.equal(client.status, 200)
    t.equal(client.headers.get('content-type'), 'text/event-stream')
    t.match(client.headers.get('cache-control'), 'no-store')
    await api('POST', '/api/v1/namespaces/other/flags', { key: 'x', name: 'X' })
    const revisions = [await change('a'), await change('b'), await change('c')]
    await waitFor(() => client.events().length >= 3)
    await sleep(50)
    t.strictSame(client.events(), revisions.map(eventOf))
    t.match(client.text(), /^retry: \d{4}\nid: \d+\n\n/)
  })

  await t.test('lead to an answer that is not older than the event', async (t) => {
    const client = await open(await uriFor())
    await change('d')
    await waitFor(() => client.events().length === 1)
    const { etag = '' } = (client.events()[0]?.data ?? {}) as { etag?: string }
    const query = new URLSearchParams({ flagConfigEtag: etag })
    t.equal((await api('POST', `${bulk}?${query}`, {})).status, 200)
  })

  await t.test('report to a client that reconnects whether something has changed', async (t) => {
    const uri = await uriFor()
    const before = await change('e')
    const now = await change('f')
    const behind = await open(uri, { 'last-event-id': before })
    await waitFor(() => behind.events().length === 1)
    t.strictSame(behind.events(), [eventOf(now)])
    const current = await open(uri, { 'last-event-id': now })
    const later = await change('g')
    await waitFor(() => current.events().length >= 1 && behind.events().length >= 2)
    t.strictSame(current.events(), [eventOf(later)])
    t.strictSame(behind.events(), [eventOf(now), eventOf(later)])
  })

  await t.test('report what has changed before they were opened', async (t) => {
    const uri = await uriFor()
    const revision = await change('h')
    const client = await open(uri)
    await waitFor(() => client.events().length === 1)
    t.strictSame(client.events(), [eventOf(revision)])
    const fresh = await open(eventsOf('default'), asAdmin)
    await change('i')
    await waitFor(() => fresh.events().length === 1)
  })

  await t.test('report the deletion of a namespace, and its creation', async (t) => {
    const client = await open(eventsOf('later'), asAdmin)
    await api('POST', '/api/v1/namespaces', { key: 'later', name: 'Later' })
    await waitFor(() => client.events().length === 1)
    await api('DELETE', '/api/v1/namespaces/later')
    await waitFor(() => client.events().length === 2)
    const [first, second] = client.events().map(({ id }) => Number(id))
    t.ok(first !== undefined && second !== undefined && first < second)
  })

  await t.test('bring a client to a namespace that did not exist when it asked', async (t) => {
    const uri = await uriFor(asAdmin, 'to-come')
    const client = await open(uri)
    t.equal(client.status, 200)
    await api('POST', '/api/v1/namespaces', { key: 'to-come', name: 'To come' })
    await waitFor(() => client.events().length === 1)
    const late = await open(uri)
    await waitFor(() => late.events().length === 1)
    t.strictSame(late.events(), client.events())
  })

  await t.test('have nothing for a client that reconnects to a deleted namespace', async (t) => {
    await api('POST', '/api/v1/namespaces', { key: 'gone', name: 'Gone' })
    await api('DELETE', '/api/v1/namespaces/gone')
    const uri = await uriFor(asAdmin, 'gone')
    t.match(uri, /since=0&/, 'a gateway that started since then says the same')
    const client = await open(uri)
    const { headers } = await api('POST', '/api/v1/namespaces', { key: 'gone', name: 'Back' })
    await waitFor(() => client.events().length >= 1)
    const revision = (headers.get('x-svc-revision') ?? '').replace('gone:', '')
    t.strictSame(
      client.events().map(({ id }) => id),
      [revision],
    )
  })

  await t.test('are for callers that may evaluate in the namespace', async (t) => {
    const own = { authorization: `Bearer ${await createNamespacedToken('other')}` }
    const uri = await uriFor(own, 'other')
    t.match(uri, `${eventsOf('other')}?`)
    const ticket = /ticket=(.*)/.exec(uri)?.[1] ?? ''
    const everywhere = /ticket=(.*)/.exec(await uriFor())?.[1] ?? ''
    t.equal(await statusOf(uri), 200)
    t.equal(await statusOf(eventsOf('other'), own), 200)
    t.equal(await statusOf(`${eventsOf('other')}?ticket=${ticket}&since=0`), 200)
    t.equal(await statusOf(eventsOf('default'), own), 403)
    for (const refused of [
      eventsOf('other'),
      `${eventsOf('other')}?ticket=`,
      `${eventsOf('other')}?ticket=${ticket}x`,
      `${eventsOf('other')}?ticket=${ticket.slice(0, -2)}AA`,
      `${eventsOf('other')}?ticket=${everywhere}`,
      `${eventsOf('other')}?ticket=${token}`,
      `${eventsOf('default')}?ticket=${ticket}`,
    ]) {
      t.equal(await statusOf(refused), 401, refused)
    }
    t.equal(await statusOf(`${uri}&key=default`), 400)
    t.equal(await statusOf(uri, { authorization: `Bearer ${token}x` }), 401, 'a header goes first')
    for (const path of [bulk, `${bulk}/on`, '/ofrep/v1/configuration', flags]) {
      const method = path === flags || path.endsWith('configuration') ? 'GET' : 'POST'
      const answer = await call(url, method, `${path}?ticket=${everywhere}`)
      t.equal(answer.status, 401, 'a ticket is good for nothing else')
    }
  })

  await t.test('are only to be got', async (t) => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      const answer = await call(url, method, eventsOf('default'), undefined, asAdmin)
      t.strictSame([answer.status, answer.headers.get('allow')], [405, 'GET'], method)
    }
  })

  await t.test('end when their token is revoked, whether by ticket or by header', async (t) => {
    const created = await api('POST', '/auth/v1/method/token', { name: 'short' })
    const { clientToken, authentication } = created.body as {
      clientToken: string
      authentication: { id: string }
    }
    const headers = { authorization: `Bearer ${clientToken}` }
    const uri = await uriFor(headers)
    const clients = [await open(uri), await open(eventsOf('default'), headers)]
    const bystander = await open(await uriFor())
    await api('DELETE', `/auth/v1/tokens/${authentication.id}`)
    const startedAt = performance.now()
    for (const { ended } of clients) t.ok(await ended, 'in good order')
    t.ok(performance.now() - startedAt < 2000)
    t.equal(await statusOf(uri), 401)
    await change('j')
    await waitFor(() => bystander.events().length === 1)
  })
})

t.test('event streams where no credential is required', async (t) => {
  const { urls } = await startStack(t, { env: { SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' } })
  const client = await openEvents(t, urls[0] + eventsOf('default'))
  t.equal(client.status, 200)
  const wrong = await openEvents(t, `${urls[0]}${eventsOf('default')}?ticket=wrong`)
  t.equal(wrong.status, 401, 'but a wrong one is refused')
})

t.test('event streams for pages of other origins', async (t) => {
  const origin = 'https://app.example.com'
  const { urls, token } = await startStack(t, {
    env: { SVC_CORS_ENABLED: 'true', SVC_CORS_ALLOWED_ORIGINS: origin },
  })
  const preflight = await call(urls[0], 'OPTIONS', bulk, undefined, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers':
      'authorization,content-type,if-none-match,x-svc-namespace,x-svc-value',
  })
  t.equal(preflight.status, 200)
  const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
  for (const name of [
    'if-none-match',
    'x-svc-namespace',
    'x-flipt-namespace',
    'x-svc-value',
    'last-event-id',
  ]) {
    t.ok(allowed.split(/, */).includes(name), name)
  }
  const headers = { origin, authorization: `Bearer ${token}` }
  const answer = await call(urls[0], 'POST', bulk, {}, headers)
  t.match(answer.headers.get('access-control-expose-headers'), /\bETag\b/)
  t.equal(answer.headers.get('vary'), 'Origin, X-Svc-Value')
  const client = await openEvents(t, urls[0] + eventsOf('default'), headers)
  t.strictSame(
    ['access-control-allow-origin', 'x-content-type-options', 'x-request-id'].map((name) =>
      client.headers.has(name),
    ),
    [true, true, true],
  )
  t.equal(client.headers.get('access-control-allow-origin'), origin)
})

t.test('event streams end in good order when the gateway closes', async (t) => {
  let ended: Promise<boolean> | undefined
  await t.test('while it is open', async (t) => {
    const { urls, token } = await startStack(t)
    const headers = { authorization: `Bearer ${token}` }
    // Not to be closed with this test, but by the gateway.
    const client = await openEvents({ teardown() {} }, urls[0] + eventsOf('default'), headers)
    t.equal(client.status, 200)
    ended = client.ended
  })
  t.equal(await ended, true)
})
