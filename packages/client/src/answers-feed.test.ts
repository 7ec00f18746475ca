import type { ServerResponse } from 'node:http'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { AnswersFeed, type AnswersFeedOptions } from './answers-feed.ts'
import { fixedToken } from './credential.ts'
import { Http } from './http.ts'
import { fixSubject } from './subject.ts'
import { type FlagServer, openStream, startFlagServer } from './testing/flag-server.ts'
import { Transfer } from './transfer.ts'

function feedOf(
  { url }: FlagServer,
  options: Pick<AnswersFeedOptions, 'subject' | 'take' | 'confirm'>,
): AnswersFeed {
  const http = new Http({ url, fetch, tokens: fixedToken('x') })
  return new AnswersFeed({ http, namespace: 'default', isAwaited: () => true, ...options })
}

/** The feed of one subject, which counts what it confirms. */
function confirmedFeedOf(
  t: Test,
  server: FlagServer,
  take: AnswersFeedOptions['take'] = () => true,
) {
  const subject = fixSubject({ entityId: 'u1' })
  let count = 0
  const feed = feedOf(server, {
    subject: () => subject,
    take,
    confirm: () => {
      count += 1
    },
  })
  const transfer = new Transfer(60_000)
  t.teardown(() => transfer.end())
  return { feed, transfer, confirmed: () => count }
}

t.test('answers do not overtake those that were asked for later', async (t) => {
  const responses: ServerResponse[] = []
  const server = await startFlagServer(t, (_asked, response) => void responses.push(response))
  const told: (number | undefined)[] = []
  const subject = fixSubject({ entityId: 'u1' })
  const feed = feedOf(server, {
    subject: () => subject,
    take: ({ answers }) => told.push(answers.revision) > 0,
    confirm: () => void told.push(undefined),
  })
  const transfer = new Transfer(10_000)
  t.teardown(() => transfer.end())
  const answer = (response: ServerResponse | undefined, revision: number) => {
    const requestUri = `/ofrep/v1/namespaces/default/events?since=${revision}`
    response?.writeHead(200, { etag: `"${revision}"` })
    response?.end(JSON.stringify({ flags: [], eventStreams: [{ endpoint: { requestUri } }] }))
  }
  const ask = async () => {
    const { length } = responses
    const done = feed.poll(transfer)
    await waitFor(() => responses.length > length)
    return { response: responses[length], done }
  }
  const [first, second] = [await ask(), await ask()]
  answer(second.response, 42)
  await second.done
  answer(first.response, 41)
  await first.done
  t.strictSame(told.splice(0), [42, undefined])
  const [third, fourth] = [await ask(), await ask()]
  answer(fourth.response, 41)
  await fourth.done
  third.response?.writeHead(304).end()
  await third.done
  t.strictSame(told, [41, undefined], 'nor do they confirm what came of those')
  t.equal(server.asked.at(-1)?.headers['if-none-match'], '"42"')
})

t.test('a caller without a ticket is told by 304 that what is shown is current', async (t) => {
  const asked: (string | undefined)[] = []
  let stream: ServerResponse | undefined
  const server = await startFlagServer(t, ({ url, headers }, response) => {
    if (url.includes('/events')) {
      stream = response
      return openStream(response, 'id: 7\n\n')
    }
    asked.push(new URL(url, 'http://x').searchParams.get('flagConfigEtag') ?? undefined)
    if (headers['if-none-match'] === '"a"') return response.writeHead(304).end()
    response.writeHead(200, { etag: '"a"' }).end('{"flags":[]}')
  })
  const { feed, transfer, confirmed } = confirmedFeedOf(t, server)
  const reading = feed.readStream(transfer).catch(() => {})
  await waitFor(() => confirmed() === 2)
  t.strictSame(asked, [undefined, 'default:7'])

  stream?.write(':\n\n:\n\n')
  await waitFor(() => confirmed() === 4)
  t.equal(asked.length, 2, 'heartbeats ask for nothing')

  // The first answer was of this revision: the gateway of the stream was behind.
  stream?.write('id: 8\n\n')
  await waitFor(() => confirmed() === 5)
  t.strictSame(asked.slice(2), ['default:8'])

  await t.test('but not of an older one', async (t) => {
    stream?.write('id: 7\n\n')
    await waitFor(() => asked.length === 4)
    await feed.poll(transfer)
    t.equal(confirmed(), 5)
  })
  transfer.end()
  await reading
})

t.test('a caller without a ticket has the revision of the header', async (t) => {
  let stream: ServerResponse | undefined
  let answered = 0
  const server = await startFlagServer(t, ({ url }, response) => {
    if (url.includes('/events')) {
      stream = response
      return openStream(response, 'id: 7\n\n')
    }
    answered += 1
    const revision = `default:${6 + answered}`
    response.writeHead(200, { etag: `"${revision}"`, 'x-svc-revision': revision })
    response.end('{"flags":[]}')
  })
  const shown: (number | undefined)[] = []
  const take: AnswersFeedOptions['take'] = ({ answers }) => shown.push(answers.revision) > 0
  const { feed, transfer, confirmed } = confirmedFeedOf(t, server, take)
  const reading = feed.readStream(transfer).catch(() => {})
  await waitFor(() => confirmed() === 2)
  t.strictSame(shown, [7], 'and asks for nothing that it has')
  stream?.write('id: 8\n\n')
  await waitFor(() => confirmed() === 3)
  t.strictSame(shown, [7, 8])
  transfer.end()
  await reading
})

t.test('answers of a namespace that was deleted are current, for each stream', async (t) => {
  const asked: string[] = []
  const streams: ServerResponse[] = []
  let revision = 5
  const server = await startFlagServer(t, ({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    if (pathname.endsWith('/events')) {
      asked.push(`since ${searchParams.get('since')}`)
      streams.push(response)
      return openStream(response, `id: ${revision}\n\n`)
    }
    asked.push(String(searchParams.get('flagConfigEtag')))
    const etag = `"${revision}"`
    if (headers['if-none-match'] === etag) return response.writeHead(304).end()
    const requestUri = `/ofrep/v1/namespaces/default/events?since=${revision}`
    response.writeHead(200, { etag })
    response.end(JSON.stringify({ flags: [], eventStreams: [{ endpoint: { requestUri } }] }))
  })
  const { feed, transfer, confirmed } = confirmedFeedOf(t, server)
  const first = feed.readStream(transfer)
  await waitFor(() => confirmed() === 2)
  // A gateway that was there says when it was deleted; answers of what is not there are of 0.
  revision = 0
  streams[0]?.write('id: 9\n\n')
  await waitFor(() => asked.length === 3)
  streams[0]?.write(':\n\n')
  await waitFor(() => confirmed() === 3)
  streams[0]?.end()
  await first
  const second = feed.readStream(transfer).catch(() => {})
  await waitFor(() => confirmed() === 4)
  streams[1]?.write(':\n\n:\n\n')
  await waitFor(() => confirmed() === 6)
  const expected = ['null', 'since 5', 'default:9', 'default:9', 'since 9', 'default:0']
  t.strictSame(asked, expected, 'and no heartbeat asks again')
  transfer.end()
  await second
})
