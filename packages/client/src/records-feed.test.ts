import t, { type Test } from 'tap'
import { fixedToken } from './credential.ts'
import { Http } from './http.ts'
import type { RecordsChange } from './records.ts'
import { RecordsFeed } from './records-feed.ts'
import { openStream, startFlagServer } from './testing/flag-server.ts'
import { booleanFlag, recordsEvent, recordsText } from './testing/records-text.ts'
import { Transfer } from './transfer.ts'

const flags = [booleanFlag('a', true)]

/** A feed, what it took, and a server that ends each stream after some events. */
async function start(t: Test, ...events: readonly string[]) {
  const server = await startFlagServer(t, (_asked, response) => {
    openStream(response, ...events)
    response.end()
  })
  const told: (number | 'confirmed')[] = []
  const feed = new RecordsFeed({
    http: new Http({ url: server.url, fetch, tokens: fixedToken('x') }),
    namespace: 'a,b',
    take: async ({ revision }: RecordsChange) => void told.push(revision),
    confirm: () => void told.push('confirmed'),
  })
  const transfer = new Transfer(10_000)
  t.teardown(() => transfer.end())
  const stream = (...events: readonly string[]) => {
    server.handle((_asked, response) => {
      openStream(response, ...events)
      response.end()
    })
    return feed.readStream(transfer)
  }
  return { server, feed, told, transfer, stream }
}

const heartbeat = ':\n\n'
const whole = (revision: number) => recordsEvent({ revision, flags })
const change = (fromRevision: number, revision: number) =>
  recordsEvent({ revision, fromRevision, flags })

t.test('a stream goes on where the last one ended', async (t) => {
  const { server, told, stream } = await start(t)
  await stream(heartbeat, whole(41), change(41, 42), heartbeat)
  t.strictSame(told, [41, 42, 'confirmed'], 'before there are any, a heartbeat confirms nothing')
  await stream('id: 42\n\n', heartbeat)
  t.strictSame(told.splice(0), [41, 42, 'confirmed', 'confirmed', 'confirmed'])
  await stream(heartbeat, change(40, 41), change(42, 45))
  t.strictSame(told.splice(0), [45], 'what is here already is left out')
  const path = '/internal/v1/evaluation/records/namespace/a%2Cb/stream'
  t.match(
    server.asked,
    Array.from({ length: 3 }, () => ({ url: path })),
  )
  t.strictSame(
    server.asked.map(({ headers }) => headers['last-event-id']),
    [undefined, '42', '42'],
  )
})

t.test('the whole is asked for when something is missing or cannot be read', async (t) => {
  const { server, told, stream } = await start(t)
  const broken = [
    change(43, 44),
    whole(44).replace('"fromRevision":0', '"fromRevision":'),
    whole(44).replace('data: ]}\n', ''),
  ]
  for (const event of broken) {
    await stream(whole(42))
    await t.rejects(stream(event), { name: 'RecordsError' })
    await stream(whole(41))
    t.strictSame(told.splice(0), [42, 41])
    t.strictSame(server.asked.at(-1)?.headers['last-event-id'], undefined)
  }
})

t.test('events of a later version are left alone', async (t) => {
  const { told, stream } = await start(t)
  await stream(whole(42), 'event: notice\nid: 42\ndata: {}\n\n')
  t.strictSame(told, [42, 'confirmed'])
})

t.test('an answer without events says what it is', async (t) => {
  const { server, feed, transfer } = await start(t)
  server.handle((_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
  })
  const message = /^the answer is text\/html instead of events: check `url`/
  await t.rejects(feed.readStream(transfer), { name: 'SvcError', code: 14, message })
})

t.test('a stream that breaks off leaves what there is', async (t) => {
  const { told, stream } = await start(t)
  await stream(whole(42), change(42, 43).slice(0, -60))
  t.strictSame(told, [42])
  await stream(change(42, 43))
  t.strictSame(told, [42, 43])
})

t.test('a poll takes what is new', async (t) => {
  const { server, feed, told, transfer, stream } = await start(t)
  await stream(whole(42))
  const poll = async (status: number, revision = 0, headers: Record<string, string> = {}) => {
    server.handle((_asked, response) => {
      response.writeHead(status, headers).end(recordsText({ revision, flags }))
    })
    await feed.poll(transfer)
    return told.splice(0)
  }
  told.length = 0
  t.strictSame(await poll(304), ['confirmed'])
  t.strictSame(await poll(200, 42), ['confirmed'], 'also without a tag')
  t.strictSame(await poll(200, 44), [44])
  t.equal(server.asked.at(-1)?.headers['if-none-match'], '"42"')
  const asked = server.asked.length
  await t.rejects(poll(200, 43, { 'x-svc-data-age': '7' }), { code: 14, message: /lags behind/ })
  t.equal(server.asked.length, asked + 1)
  t.strictSame(await poll(200, 43), [43], 'a database was restored, as a second answer says')
  t.equal(server.asked.length, asked + 3)
  server.handle((_asked, response) => response.end(recordsText({ revision: 50 }).slice(0, -2)))
  await t.rejects(feed.poll(transfer), { name: 'RecordsError' })
  t.strictSame(told, [])
})
