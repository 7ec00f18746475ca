import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { openOutbound } from '../../outbound/outbound.ts'
import { startKeyServer } from '../jwt/jwt.test.support.ts'
import { maxBytes } from './provider.ts'
import { publishedDocuments } from './published-documents.ts'

/** @param giveUp ends the call, as its time limit would */
type Answer = (response: ServerResponse, giveUp: () => void) => void

/** An issuer with programmable answers, a count of requests and a clock. */
async function open(t: Test) {
  let now = 0
  let call = new AbortController()
  const server = await startKeyServer(t, (response) => response.end('{"keys":[]}'))
  const fetch = openOutbound(
    'oidc',
    { allowPrivateNetwork: false, allowInsecure: true },
    { maxBytes },
  )
  const documents = publishedDocuments(
    (to) => {
      call = new AbortController()
      return fetch(to, { signal: call.signal })
    },
    () => now,
  )
  return {
    read: () => documents(server.url),
    asked: () => server.asked,
    answers: (next: Answer) => {
      server.answer = (response) => next(response, () => call.abort())
    },
    pass: (seconds: number) => {
      now += seconds * 1000
    },
  }
}

const unavailable = { code: 'unavailable' }

t.test('shares one fetch, and fetches again after half a minute', async (t) => {
  const { read, asked, answers, pass } = await open(t)
  await Promise.all(Array.from({ length: 50 }, read))
  pass(29)
  t.strictSame(await read(), { keys: [] })
  t.equal(asked(), 1)
  answers((response) => response.end('{"keys":[1]}'))
  pass(1)
  t.strictSame(await read(), { keys: [1] })
  t.equal(asked(), 2)
})

const troubles: Readonly<Record<string, Answer>> = {
  'answers with an error': (response) => response.writeHead(500).end('{}'),
  redirects: (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'answers with no JSON': (response) => response.end('<html>'),
  'answers with too much': (response) => response.end(JSON.stringify('a'.repeat(600_000))),
  'sends without end': (response) => {
    const more = () => {
      for (let i = 0; i < 100 && response.write(Buffer.alloc(65_536)); i += 1);
    }
    response.on('drain', more)
    more()
  },
  'says nothing': (_response, giveUp) => giveUp(),
  drips: (response, giveUp) => {
    const timer = setInterval(() => response.write(' '), 20)
    setTimeout(giveUp, 100)
    response.on('close', () => clearInterval(timer))
  },
  'hangs up': (response) => response.destroy(),
}

for (const [trouble, answer] of Object.entries(troubles)) {
  t.test(`uses what it has for an hour while the issuer ${trouble}`, async (t) => {
    const { read, asked, answers, pass } = await open(t)
    await read()
    answers(answer)
    pass(30)
    t.strictSame(await read(), { keys: [] })
    t.equal(asked(), 2)
    pass(3569)
    t.strictSame(await read(), { keys: [] }, 'to the last second')
    pass(2)
    await t.rejects(read(), unavailable)
  })

  t.test(`asks less and less often while the issuer ${trouble}`, async (t) => {
    const { read, asked, answers, pass } = await open(t)
    answers(answer)
    const askedAt: number[] = []
    let answered = 0
    for (let second = 0; second <= 200; second += 1) {
      const before = asked()
      await read().then(
        () => (answered += 1),
        () => {},
      )
      if (asked() > before) askedAt.push(second)
      pass(1)
    }
    t.equal(answered, 0)
    t.strictSame(askedAt, [0, 5, 15, 35, 75, 135, 195])
    answers((response) => response.end('{"keys":[2]}'))
    pass(60)
    t.strictSame(await read(), { keys: [2] }, 'and recovers at once')
  })
}
