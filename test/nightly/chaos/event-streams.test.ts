import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { createToken } from '../../support/api.ts'
import { openEvents } from '../../support/event-source.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'

const bulk = '/ofrep/v1/evaluate/flags'
const flags = '/api/v1/namespaces/default/flags'

/** A heartbeat, and what processes need on a busy machine. */
const heartbeatMs = 15_000
const graceMs = 3000

t.test('event streams of several gateways', async (t) => {
  const fleet = await startFleet(t, {
    gateways: 2,
    env: { SVC_LOG_REQUESTS: 'true', SVC_LOG_LEVEL: 'debug' },
  })
  const { urls, api, gateways, auths } = fleet
  const [first, second = ''] = urls
  await api('POST', flags, { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true })

  const uriFor = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await call(first, 'POST', bulk, {}, headers)
    const [stream] = (body as { eventStreams: { endpoint: { requestUri: string } }[] }).eventStreams
    return stream?.endpoint.requestUri ?? ''
  }
  /** @returns the revision */
  const change = async (name: string) => {
    const { headers } = await api('PUT', `${flags}/on`, { name, enabled: true })
    return (headers.get('x-svc-revision') ?? '').replace('default:', '')
  }
  const lasting = await createToken(api)
  const uri = await uriFor(lasting.clientToken)

  await t.test('a ticket is good at every gateway, and so is the end of its token', async (t) => {
    const { clientToken, id } = await createToken(api)
    const uri = await uriFor(clientToken)
    const clients = await Promise.all([first, second].map((url) => openEvents(t, url + uri)))
    t.strictSame(
      clients.map(({ status }) => status),
      [200, 200],
    )
    const revision = await change('a')
    await waitFor(() => clients.every(({ events }) => events().at(-1)?.id === revision))
    await api('DELETE', `/auth/v1/tokens/${id}`)
    const startedAt = performance.now()
    t.strictSame(await Promise.all(clients.map(({ ended }) => ended)), [true, true])
    t.ok(performance.now() - startedAt < 2000 + graceMs)
    const again = await Promise.all([first, second].map((url) => openEvents(t, url + uri)))
    t.strictSame(
      again.map(({ status }) => status),
      [401, 401],
    )
  })

  await t.test('a stream ends when its token expires', async (t) => {
    const expiresAtMs = Date.now() + 5000
    const { clientToken } = await createToken(api, {
      expiresAt: new Date(expiresAtMs).toISOString(),
    })
    const client = await openEvents(t, second + (await uriFor(clientToken)))
    t.equal(client.status, 200)
    t.equal(await client.ended, true)
    const endedAfterMs = Date.now() - expiresAtMs
    t.ok(endedAfterMs > 0 && endedAfterMs < heartbeatMs + graceMs, `${endedAfterMs} ms later`)
  })

  await t.test('a stream stays for longer than any other answer may take', async (t) => {
    const client = await openEvents(t, first + uri)
    const before = client.events().length
    // Others have 20 s.
    await sleep(25_000)
    t.match(client.text(), /\n:\n/, 'with heartbeats')
    await change('b')
    await waitFor(() => client.events().length > before)
  })

  await t.test('a stream continues while auth is down', async (t) => {
    const client = await openEvents(t, first + uri)
    for (const auth of auths) await auth.kill('SIGSTOP')
    try {
      await sleep(2 * heartbeatMs + graceMs)
    } finally {
      for (const auth of auths) await auth.kill('SIGCONT')
    }
    // The write is let through when auth is back.
    await waitFor(async () => (await api('GET', flags)).status === 200)
    const revision = await change('c')
    await waitFor(() => client.events().at(-1)?.id === revision)
  })

  await t.test(
    'a gateway that ends sends its clients to another, which misses nothing',
    async (t) => {
      const client = await openEvents(t, second + uri)
      const seen = await change('d')
      await waitFor(() => client.events().at(-1)?.id === seen)
      const startedAt = performance.now()
      await gateways[1]?.kill('SIGTERM')
      t.equal(await client.ended, true, 'in good order')
      t.ok(performance.now() - startedAt < 5000)
      const missed = await change('e')
      const behind = await openEvents(t, first + uri, { 'last-event-id': seen })
      await waitFor(() => behind.events().length === 1)
      t.equal(behind.events()[0]?.id, missed)
    },
  )

  await t.test('no line of a log has a ticket in it', async (t) => {
    await openEvents(t, `${first}${uri.slice(0, -2)}xx`)
    await sleep(200)
    const lines = gateways.flatMap(({ lines }) => lines.map((line) => JSON.stringify(line)))
    t.ok(lines.some((line) => line.includes('/ofrep/v1/namespaces/:key/events')))
    t.strictSame(
      lines.filter((line) => line.includes('ticket=') || line.includes(uri.slice(-40, -2))),
      [],
    )
  })
})
