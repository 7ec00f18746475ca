import t from 'tap'
import { createRandom } from '../support/random.ts'
import { openRawClient, requestBytes } from '../support/raw-http.ts'
import { startStack } from '../support/stack.ts'
import { combinations, type Endpoint, endpoints, spellingsOf } from './path-spellings.targets.ts'

/** Of each endpoint. */
const spellings = 500

/** Stands in every text of the namespace `outside`, and of tokens. */
const canary = 'canary-7f3a'

/** At a time: enough to keep the services busy. */
const parallel = 16

/** Well-formed for each kind of write. */
const writeBody = JSON.stringify({
  ...{ key: 'new', name: 'new', flagKey: 'secret', entityId: 'e' },
  ...{ rank: 2, segmentKey: 'secret' },
})

t.test('no spelling of a path leads where its caller may not go', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t)
  const text = { name: canary, description: canary }
  await api('POST', '/api/v1/namespaces', { key: 'inside', name: 'Inside' })
  await api('POST', '/api/v1/namespaces', { key: 'outside', ...text })
  for (const key of ['inside', 'outside', 'default']) {
    const about = key === 'outside' ? text : { name: 'harmless' }
    const base = `/api/v1/namespaces/${key}`
    await api('POST', `${base}/flags`, { key: 'secret', ...about, enabled: true })
    await api('POST', `${base}/segments`, { key: 'secret', ...about })
    await api('POST', `${base}/flags/secret/rules`, { segmentKey: 'secret', rank: 1 })
  }
  await api('POST', '/auth/v1/method/token', text)
  const inside = await createNamespacedToken('inside')
  const identities: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    anonymous: {},
    'a token for inside': { authorization: `Bearer ${inside}` },
    'a token for default': { authorization: `Bearer ${await createNamespacedToken('default')}` },
    'a browser for inside': {
      cookie: `svc_client_token=${inside}`,
      'sec-fetch-site': 'same-origin',
    },
  }
  const look = async () => {
    const paths = ['', '/flags', '/segments', '/flags/secret/rules']
    const of = (path: string) => api('GET', `/api/v1/namespaces/outside${path}`)
    const answers = await Promise.all([...paths.map(of), api('GET', '/auth/v1/tokens')])
    return answers.map(({ body }) => body)
  }
  const written = await api('PUT', '/api/v1/namespaces/outside', text)
  // A stream of events begins with the revision of its namespace.
  const revision = String(written.headers.get('x-svc-revision')).replace('outside:', 'id: ')
  // Uses of a token are written every minute.
  const fingerprint = async () =>
    JSON.stringify(await look(), (name, value) => (name === 'use' ? undefined : value))
  const before = await fingerprint()

  const client = openRawClient(Number(new URL(urls[0]).port))
  t.teardown(async () => client.close())
  const send = async (
    { method }: Pick<Endpoint, 'method'>,
    target: string,
    credential: Readonly<Record<string, string>>,
  ) => {
    const isWrite = method === 'POST' || method === 'PUT'
    const body = isWrite ? writeBody : ''
    const headers = { 'content-type': 'application/json', ...credential }
    return await client.send(requestBytes(target, body, headers, method))
  }

  const seed = Number(process.env.SPELLING_SEED ?? 20_261_121)
  t.comment(`SPELLING_SEED=${seed}`)
  const random = createRandom(seed)
  const bypasses: string[] = []
  const faults: string[] = []
  const statuses: Record<number, number> = {}
  const judge = async (who: string, endpoint: Endpoint, target: string) => {
    const { status, text } = await send(endpoint, target, identities[who] ?? {})
    statuses[status] = (statuses[status] ?? 0) + 1
    const spelled = `${who}: ${endpoint.method} ${JSON.stringify(target)} -> ${status}`
    const isLeak = text.includes(canary) || text.includes(`${revision}\n`)
    const isAnswer = status >= 200 && status < 400
    const isElsewhere = isAnswer && text.includes('"namespaceKey":"outside"')
    if (isLeak || isElsewhere || (isAnswer && who === 'anonymous')) bypasses.push(spelled)
    if (status >= 500 || status === 0) faults.push(`${spelled} ${text}`)
  }
  const requests = endpoints.flatMap((endpoint) => {
    const targets = spellingsOf(endpoint, spellings, random)
    t.equal(new Set(targets).size, spellings)
    const whos = Object.keys(identities)
    return whos.flatMap((who) => targets.map((target) => ({ who, endpoint, target })))
  })
  const combined = combinations()
  t.ok(combined.length >= 1000, `${combined.length} combinations`)
  for (const target of combined) {
    for (const method of ['GET', 'PUT', 'DELETE', 'POST'] as const) {
      requests.push({ who: 'a token for inside', endpoint: { method, path: target }, target })
    }
  }
  const next = requests.values()
  const work = async () => {
    for (const { who, endpoint, target } of { [Symbol.iterator]: () => next }) {
      await judge(who, endpoint, target)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))

  const total = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  t.comment(`${total} requests by status: ${JSON.stringify(statuses)}`)
  t.comment(`${bypasses.length} bypasses, ${faults.length} faults`)
  t.equal(total, requests.length)
  t.ok(total >= 28_000)
  t.strictSame(bypasses.slice(0, 20), [])
  t.strictSame(faults.slice(0, 20), [])
  t.equal(await fingerprint(), before, 'nothing elsewhere is changed')
  const own = await send({ method: 'GET' }, '/api/v1/namespaces/inside/flags', {
    authorization: `Bearer ${inside}`,
  })
  t.equal(own.status, 200, 'the token is good all the while')
  t.match(
    await send({ method: 'GET' }, '/api/v1/namespaces/outside/flags', {
      authorization: `Bearer ${token}`,
    }),
    { status: 200, text: new RegExp(canary) },
    'and there is something to be read',
  )
})
