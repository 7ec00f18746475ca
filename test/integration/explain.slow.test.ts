import { readFileSync } from 'node:fs'
import { readEvaluationVectors } from '@svc/evaluation/testing'
import t from 'tap'
import { call } from '../support/http.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

/** This file is test/dist/integration/explain.slow.test.js. */
const root = new URL('../../../', import.meta.url)
const explainUrl = '/evaluate/v1/explain'

interface Explained {
  readonly boolean?: object
  readonly variant?: object
  readonly reason: string
  readonly segmentKeys: readonly string[]
}

t.test('two gateways explain as they evaluate, with the same bytes', async (t) => {
  const { documents, vectors } = readEvaluationVectors()
  const [document] = documents
  if (document === undefined) throw new Error('no vectors')
  const { api, urls, token } = await startStack(t, { gateways: 2 })
  const flags = document.flags.filter((_, i) => i % 4 === 0)
  await loadDocument(api, { ...document, flags })
  const { key } = document.namespace
  const last = await api('PUT', `/api/v1/namespaces/${key}`, { name: 'Loaded' })
  const headers = {
    authorization: `Bearer ${token}`,
    'x-svc-min-revision': last.headers.get('x-svc-revision') ?? '',
  }
  const keys = new Set(flags.map((flag) => flag.key))
  const sample = vectors
    .filter(({ request }) => request.namespaceKey === key && keys.has(request.flagKey))
    .slice(0, 300)
  t.equal(sample.length, 300)
  // The first gateway has flags as texts from here on, the second as they were sent to it.
  await api('GET', `/internal/v1/evaluation/snapshot/namespace/${key}`, undefined, headers)

  for (const { request, expected } of sample) {
    const ask = (url = '') => call(url, 'POST', explainUrl, request, headers)
    const [one, two] = await Promise.all([ask(urls[0]), ask(urls[1])])
    const { boolean, variant, reason, segmentKeys } = one.body as Explained
    const name = `${request.flagKey} for ${request.entityId}`
    t.strictSame({ ...boolean, ...variant, reason, segmentKeys }, expected, name)
    t.equal(one.text, two.text, name)
  }
})

t.test('an explanation over HTTP', async (t) => {
  const { api, urls, createNamespacedToken } = await startStack(t, {
    env: { SVC_AUTHENTICATION_EXCLUDE_EVALUATION: 'true' },
  })
  const base = '/api/v1/namespaces/default'
  const post = (path: string, body: object) => api('POST', base + path, body)
  await post('/flags', { key: 'checkout', name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE' })
  await post('/flags/checkout/rollouts', { rank: 1, threshold: { percentage: 25, value: true } })
  await post('/segments', { key: 'germany', name: 'Germany' })
  const type = 'STRING_COMPARISON_TYPE'
  const constraint = { type, property: 'country', operator: 'eq', value: 'DE' }
  await post('/segments/germany/constraints', constraint)
  const segment = { segmentKey: 'germany', value: true }
  const last = await post('/flags/checkout/rollouts', { rank: 2, segment })
  const seen = { 'x-svc-min-revision': last.headers.get('x-svc-revision') ?? '' }

  await t.test('is the one of docs/explain.md', async (t) => {
    const page = readFileSync(new URL('docs/explain.md', root), 'utf8')
    const [, path = '', body = '', shown = ''] =
      /localhost:8080([^"]+)" .*?-d '(.*?)'\n```\n\n```json\n(.*?)\n```/s.exec(page) ?? []
    const { status, text } = await api('POST', path, body, seen)
    t.equal(status, 200)
    t.equal(text.replace(/"revision": \d+/, '"revision": 42'), shown)
  })

  await t.test('needs a credential where evaluation needs none', async (t) => {
    const question = { flagKey: 'checkout' }
    const ask = (path: string, headers = {}) => call(urls[0], 'POST', path, question, headers)
    t.equal((await ask('/evaluate/v1/boolean')).status, 200)
    t.equal((await ask(explainUrl)).status, 401)
    await api('POST', '/api/v1/namespaces', { key: 'inside', name: 'Inside' })
    const authorization = `Bearer ${await createNamespacedToken('inside')}`
    t.equal((await ask(explainUrl, { authorization })).status, 403, 'and one for the namespace')
  })

  await t.test('is refused as an evaluation is', async (t) => {
    t.match(await api('POST', explainUrl, { flagKey: 'gone' }), {
      status: 404,
      body: { code: 5, message: 'flag "default/gone" not found', details: [] },
    })
    const body = { code: 3, message: /: context must be an object$/ }
    t.match(await api('POST', explainUrl, { flagKey: 'on', context: [] }), { status: 400, body })
    const late = { 'x-svc-min-revision': 'default:1000000' }
    t.equal((await api('POST', explainUrl, { flagKey: 'checkout' }, late)).status, 503)
  })
})
