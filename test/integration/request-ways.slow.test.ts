import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'

/** Ways that a request may take: what it adds to its URL and headers, and the gateway that it asks. */
const ways = {
  'by the router, with a query that means nothing': { query: '?past' },
  'where requests are logged': { gateway: 1 },
  'where other origins are answered': { gateway: 2 },
  'not compressed': { headers: { 'accept-encoding': 'identity' } },
} as const

const question = { flagKey: 'on', entityId: 'e', context: { plan: 'pro' } }

type Cases = Readonly<Record<string, readonly [body: unknown, headers?: Record<string, string>]>>

/** Bodies and headers, by what is the matter with them. */
const cases: Cases = {
  'a question': [question],
  'a question with an id': [{ ...question, requestId: 'r"\\\u0001ü😀' }],
  'the other spelling': [{ flag_key: 'on', namespace_key: 'default', entity_id: '' }],
  'an odd context': [{ flagKey: 'on', context: { n: 1, b: true, o: { a: [] }, z: null } }],
  'white space around it': [` \n${JSON.stringify(question)}\n and more`],
  'a list': ['[]'],
  'no JSON': ['{"flagKey":'],
  'a name twice': ['{"flagKey":"on","flagKey":"off"}'],
  'too many levels': [`{"context":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`],
  'the wrong type': [{ flagKey: 1 }],
  'too much context': [
    {
      flagKey: 'on',
      context: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, 'x'])),
    },
  ],
  'a flag that is not there': [{ flagKey: 'gone' }],
  'a flag of the other type': [{ flagKey: 'color' }],
  'a namespace that is not there': [{ flagKey: 'on', namespaceKey: 'gone' }],
  'a batch': [{ requests: [question, { flagKey: 'gone' }, { flagKey: 'color', requestId: '"' }] }],
  'a batch as an object': [{ requestId: 'r', requests: { 0: question } }],
  'no token': [question, { authorization: '' }],
  'a wrong token': [question, { authorization: 'Bearer wrong' }],
  'a revision that is here': [question, { 'x-svc-min-revision': 'default:1' }],
  'a revision that is not': [question, { 'x-svc-min-revision': 'default:999999999' }],
  'a revision of another namespace': [question, { 'x-svc-min-revision': 'gone:1' }],
  'no revision': [question, { 'x-svc-min-revision': 'default' }],
  'an answer that may be compressed': [question, { 'accept-encoding': 'gzip' }],
}

const alice = { targetingKey: 'alice', plan: 'pro' }

/** The same for OFREP. */
const ofrepCases: Cases = {
  'a context': [{ context: alice }],
  'no targeting key': [{ context: { plan: 'pro' } }],
  'listed flags': [{ context: { ...alice, flags: 'color,gone"\u0001,on' } }],
  'a namespace in a header': [{ context: alice }, { 'x-svc-namespace': 'default' }],
  'one that is not there': [{ context: alice }, { 'x-flipt-namespace': 'gone' }],
  'attachments as values': [{ context: alice }, { 'x-svc-value': 'attachment' }],
  'values of another kind': [{ context: alice }, { 'x-svc-value': 'json' }],
  'two of them': [
    { context: alice },
    { 'x-svc-namespace': 'default', 'x-flipt-namespace': 'other' },
  ],
  'what it has already': [{ context: alice }, { 'if-none-match': '*' }],
}

t.test('an answer is the same whichever way its request takes', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl })
  const logging = await fleet.startGateway({ SVC_LOG_REQUESTS: 'true' })
  const open = await fleet.startGateway({
    SVC_CORS_ENABLED: 'true',
    SVC_CORS_ALLOWED_ORIGINS: 'https://a.example',
  })
  const urls: readonly [string, string, string] = [fleet.urls[0], logging.url, open.url]
  const { api } = fleet
  const base = '/api/v1/namespaces/default'
  const boolean = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', `${base}/flags`, boolean)
  const made = await api('POST', `${base}/flags`, { key: 'color', name: 'Color', enabled: true })
  const revision = String(made.headers.get('x-svc-revision'))
  const bound = { name: 'bound', namespaceKey: 'default' }
  const { clientToken } = (await api('POST', '/auth/v1/method/token', bound)).body as {
    clientToken: string
  }
  const authorization = `Bearer ${clientToken}`
  for (const url of urls) {
    const headers = { authorization, 'x-svc-min-revision': revision }
    await call(url, 'POST', '/evaluate/v1/variant', question, headers)
  }

  const evaluations = ['boolean', 'variant', 'batch'].map((path) => [`/evaluate/v1/${path}`, cases])
  const ofrep = ['', '/on', '/color', '/gone', '/a%20b'].map((key) => [
    `/ofrep/v1/evaluate/flags${key}`,
    { ...cases, ...ofrepCases },
  ])
  for (const [path, cases] of [...evaluations, ...ofrep] as [string, Cases][]) {
    for (const [name, [body, headers]] of Object.entries(cases)) {
      await t.test(`${path}: ${name}`, async (t) => {
        const sent = { authorization, ...headers }
        const [usual, ...others] = await Promise.all([
          call(urls[0], 'POST', path, body, sent),
          ...Object.values<Way>(ways).map(({ gateway = 0, query = '', headers = {} }) =>
            call(urls[gateway], 'POST', path + query, body, { ...headers, ...sent }),
          ),
        ])
        for (const [index, way] of Object.keys(ways).entries()) {
          t.strictSame(comparable(others[index]), comparable(usual), way)
        }
      })
    }
  }
})

interface Way {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly gateway?: 0 | 1 | 2
}

/** What CORS adds to every answer. */
const ofCors = ['access-control-allow-credentials', 'access-control-expose-headers']

/** What is in an answer, but for what differs from one to the next. */
function comparable(answer: Awaited<ReturnType<typeof call>> | undefined) {
  if (answer === undefined) throw new Error('there is no answer')
  const { status, headers, text } = answer
  const kept = new Map(headers)
  const vary = String(kept.get('vary') ?? '').split(', ')
  kept.set(
    'vary',
    vary.filter((name) => name !== 'Origin' && name !== 'accept-encoding').join(', '),
  )
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding', ...ofCors])
    kept.delete(name)
  for (const name of ['date', 'x-request-id']) {
    kept.set(name, kept.has(name) ? 'there' : 'missing')
  }
  return {
    status,
    headers: Object.fromEntries(kept),
    body: text
      .replace(/[0-9a-f-]{36}/g, 'uuid')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replace(/"requestDurationMillis":[\d.e-]+/g, 'duration'),
  }
}
