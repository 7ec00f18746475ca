import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { openEvents } from '../support/event-source.ts'
import { startStack } from '../support/stack.ts'

const limits = {
  SVC_SERVER_MAX_STREAMS_PER_CALLER: '2',
  SVC_SERVER_MAX_STREAMS_PER_NAMESPACE: '3',
}
const eventsOf = (namespaceKey: string) => `/ofrep/v1/namespaces/${namespaceKey}/events`

t.test('a gateway limits the event streams of one caller and of one namespace', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t, { env: limits })
  const [url] = urls
  await api('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })
  const bound = await createNamespacedToken('shop')
  const other = await createNamespacedToken('shop')
  const open = (bearer: string, namespaceKey: string) =>
    openEvents(t, url + eventsOf(namespaceKey), { authorization: `Bearer ${bearer}` })

  const first = await open(bound, 'shop')
  t.equal(first.status, 200)
  t.equal((await open(bound, 'shop')).status, 200)

  await t.test('a token beyond its limit gets 429 and when to try again', async (t) => {
    const refused = await open(bound, 'shop')
    t.equal(refused.status, 429)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    await refused.ended
    t.match(JSON.parse(refused.text()), { errorDetails: /of this caller/ })
  })

  await t.test('a namespace beyond its limit refuses every token', async (t) => {
    const third = await open(other, 'shop')
    t.equal(third.status, 200)
    const refused = await open(other, 'shop')
    t.equal(refused.status, 429)
    await refused.ended
    t.match(JSON.parse(refused.text()), { errorDetails: /of namespace "shop"/ })
    third.close()
  })

  await t.test('another token and another namespace still have streams', async (t) => {
    const one = await open(token, 'default')
    const two = await open(token, 'default')
    t.strictSame([one.status, two.status], [200, 200])
    t.equal((await open(token, 'shop')).status, 429, 'the limit of a token holds across namespaces')
    one.close()
    two.close()
  })

  await t.test('a stream that ends makes room', async () => {
    first.close()
    await waitFor(async () => (await open(bound, 'shop')).status === 200)
  })

  await t.test('the limit holds for the streams of snapshots, too', async (t) => {
    const path = '/internal/v1/evaluation/stream/namespace/shop'
    const headers = {
      authorization: `Bearer ${bound}`,
      'x-svc-accept-server-version': '1.47.0',
    }
    const refused = await openEvents(t, url + path, headers)
    t.equal(refused.status, 429)
    await refused.ended
    t.match(JSON.parse(refused.text()), { code: 8, message: /too many event streams/ })
  })
})

t.test('without authentication the limit is that of an address', async (t) => {
  const env = { ...limits, SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' }
  const { urls } = await startStack(t, { env })
  const [url] = urls
  const statusFrom = async (address: string, namespaceKey: string) =>
    (await openEvents(t, url + eventsOf(namespaceKey), { 'x-forwarded-for': address })).status
  t.equal(await statusFrom('192.0.2.1', 'a'), 200)
  t.equal(await statusFrom('192.0.2.1', 'b'), 200)
  t.equal(await statusFrom('192.0.2.1', 'c'), 429)
  t.equal(await statusFrom('192.0.2.2', 'c'), 200)
  t.equal(await statusFrom('2001:db8::1', 'd'), 200)
  t.equal(await statusFrom('2001:db8::2', 'e'), 200)
  t.equal(await statusFrom('2001:db8::3', 'f'), 429, 'a network of IPv6 is one caller')
})
