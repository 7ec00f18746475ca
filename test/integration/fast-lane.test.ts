import t from 'tap'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

/** A query sends a request past the fast lane, and means nothing to these routes. */
const past = '?past'

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
  nobody: [{ context: { plan: 'pro' } }],
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

t.test('answers are the same by the fast lane and past it', async (t) => {
  const { api, urls, createNamespacedToken } = await startStack(t)
  const base = '/api/v1/namespaces/default'
  const boolean = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', `${base}/flags`, boolean)
  const made = await api('POST', `${base}/flags`, { key: 'color', name: 'Color', enabled: true })
  const [, revision] = String(made.headers.get('x-svc-revision')).split(':')
  await api('POST', '/evaluate/v1/variant', question, {
    'x-svc-min-revision': `default:${revision}`,
  })
  const authorization = `Bearer ${await createNamespacedToken('default')}`

  const evaluations = ['boolean', 'variant', 'batch'].map((path) => [`/evaluate/v1/${path}`, cases])
  const ofrep = ['', '/on', '/color', '/gone', '/a%20b'].map((key) => [
    `/ofrep/v1/evaluate/flags${key}`,
    { ...cases, ...ofrepCases },
  ])
  for (const [url, cases] of [...evaluations, ...ofrep] as [string, Cases][]) {
    for (const [name, [body, headers]] of Object.entries(cases)) {
      await t.test(`${url}: ${name}`, async (t) => {
        const [quick, slow] = await Promise.all(
          [url, url + past].map((url) =>
            call(urls[0], 'POST', url, body, { authorization, ...headers }),
          ),
        )
        t.strictSame(quick && comparable(quick), slow && comparable(slow))
      })
    }
  }
})

/** What is in an answer, but for what differs from one to the next. */
function comparable({ status, headers, text }: Awaited<ReturnType<typeof call>>) {
  const kept = new Map(headers)
  for (const name of ['date', 'x-request-id', 'content-length']) {
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
