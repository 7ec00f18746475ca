import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
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
  const state = { awaited: 0 }
  const feed = new RecordsFeed({
    http: new Http({ url: server.url, fetch, tokens: fixedToken('x') }),
    namespace: 'a,b',
    awaited: () => state.awaited,
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
  return { server, feed, told, transfer, stream, state }
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

t.test('a poll names the revision that is waited for', async (t) => {
  const { server, feed, transfer, state } = await start(t)
  server.handle((_asked, response) => response.end(recordsText({ revision: 42, flags })))
  await feed.poll(transfer)
  state.awaited = 43
  await feed.poll(transfer)
  const asked = server.asked.map(({ headers }) => headers['x-svc-min-revision'])
  t.strictSame(asked, [undefined, 'a,b:43'])
})

/** A feed that takes a while to take something in, and what the test writes to its stream and its poll. */
async function startSlow(t: Test) {
  const streams: ServerResponse[] = []
  const answers: ServerResponse[] = []
  const server = await startFlagServer(t, ({ url }, response) => {
    const isStream = url.endsWith('/stream')
    if (isStream) openStream(response)
    const list = isStream ? streams : answers
    list.push(response)
  })
  const told: (number | 'confirmed')[] = []
  const state = { taking: 0 }
  const feed = new RecordsFeed({
    http: new Http({ url: server.url, fetch, tokens: fixedToken('x') }),
    namespace: 'shop',
    awaited: () => 0,
    take: async ({ revision }: RecordsChange) => {
      state.taking = revision
      await sleep(100)
      told.push(revision)
    },
    confirm: () => void told.push('confirmed'),
  })
  const transfer = new Transfer(10_000)
  t.teardown(() => transfer.end())
  const streamed = feed.readStream(transfer)
  streamed.catch(() => {})
  await waitFor(() => streams.length > 0)
  const write = (event: string) => streams.at(-1)?.write(event)
  write(whole(9))
  await waitFor(() => told.length === 1)
  const polled = feed.poll(transfer)
  polled.catch(() => {})
  const settle = async (revision: number) => {
    await waitFor(() => answers.length > 0)
    answers.shift()?.end(recordsText({ revision, flags }))
  }
  return { server, feed, state, told, transfer, streamed, polled, write, settle }
}

t.test('an answer that the stream overtakes does not replace what is newer', async (t) => {
  const { state, told, streamed, polled, transfer, write, settle } = await startSlow(t)
  write(change(9, 11))
  await waitFor(() => state.taking === 11)
  await settle(10)
  await sleep(200)
  t.strictSame(told, [9, 11])
  await settle(11)
  await polled
  t.strictSame(told, [9, 11, 'confirmed'], 'it is asked for again')
  write(heartbeat)
  await waitFor(() => told.length === 4)
  t.equal(told.at(-1), 'confirmed')
  transfer.end()
  await t.rejects(streamed)
})

t.test('a stream that says another revision than what is here is opened again', async (t) => {
  const { server, feed, told, streamed, polled, transfer, write, settle } = await startSlow(t)
  write(change(9, 11))
  await waitFor(() => told.length === 2)
  // Of a gateway that lags behind and does not know it.
  await settle(10)
  await settle(10)
  await polled
  t.strictSame(told, [9, 11, 10])
  write(heartbeat)
  await t.rejects(streamed, {
    code: 14,
    message: 'the stream is at revision 11, and revision 10 is here',
  })
  t.strictSame(told, [9, 11, 10], 'nothing is confirmed')
  const again = feed.readStream(transfer)
  again.catch(() => {})
  await waitFor(() => server.asked.filter(({ url }) => url.endsWith('/stream')).length === 2)
  t.equal(server.asked.at(-1)?.headers['last-event-id'], '10')
})

t.test('an answer that is ahead of the stream is taken once', async (t) => {
  const { told, polled, write, settle } = await startSlow(t)
  await settle(11)
  await polled
  write(change(9, 11))
  write(heartbeat)
  await waitFor(() => told.length === 3)
  t.strictSame(told, [9, 11, 'confirmed'])
})

t.test('the wait for a second answer ends with its transfer', async (t) => {
  const { polled, transfer, settle } = await startSlow(t)
  await settle(8)
  await sleep(50)
  const begin = performance.now()
  transfer.end()
  await t.rejects(polled)
  const tookMs = performance.now() - begin
  t.ok(tookMs < 500, `after ${tookMs} ms`)
})
