import t from 'tap'
import { startStack } from '../support/stack.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(\d{3}|\d{6}|\d{9}))?Z$/

/** Replaces what differs from run to run by its form, so that the rest can be compared literally. */
function withForms(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_key, value) => {
    if (typeof value === 'string' && uuid.test(value)) return '<id>'
    if (typeof value === 'string' && instant.test(value)) return '<instant>'
    return value
  })
}

t.test('the examples of the contract', async (t) => {
  const { api } = await startStack(t)
  const flags = '/api/v1/namespaces/default/flags'
  const times = { createdAt: '<instant>', updatedAt: '<instant>' }

  await t.test('a flag', async (t) => {
    const answer = await api('POST', flags, {
      key: 'checkout',
      name: 'Checkout',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
    })
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-type')?.split(';')[0], 'application/json')
    const expected = {
      key: 'checkout',
      name: 'Checkout',
      description: '',
      enabled: false,
      ...times,
      variants: [],
      namespaceKey: 'default',
      type: 'BOOLEAN_FLAG_TYPE',
    }
    t.equal(JSON.stringify(withForms(answer.body)), JSON.stringify(expected), 'fields in order')
    const read = await api('GET', `${flags}/checkout`)
    t.strictSame(read.body, answer.body, 'reads as it was created, to the microsecond')
  })

  await t.test('a rollout', async (t) => {
    const answer = await api('POST', `${flags}/checkout/rollouts`, {
      rank: 1,
      description: 'half',
      threshold: { percentage: 50, value: true },
    })
    t.equal(answer.status, 200)
    const expected = {
      id: '<id>',
      namespaceKey: 'default',
      flagKey: 'checkout',
      type: 'THRESHOLD_ROLLOUT_TYPE',
      rank: 1,
      description: 'half',
      ...times,
      threshold: { percentage: 50, value: true },
    }
    t.equal(JSON.stringify(withForms(answer.body)), JSON.stringify(expected))
  })

  await t.test('a rule of several segments', async (t) => {
    await api('POST', flags, { key: 'color', name: 'Color' })
    for (const key of ['eu', 'beta']) {
      await api('POST', '/api/v1/namespaces/default/segments', { key, name: key })
    }
    const answer = await api('POST', `${flags}/color/rules`, {
      segmentKeys: ['eu', 'beta'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      rank: 1,
    })
    t.equal(answer.status, 200)
    const expected = {
      id: '<id>',
      flagKey: 'color',
      segmentKey: '',
      distributions: [],
      rank: 1,
      ...times,
      namespaceKey: 'default',
      segmentKeys: ['eu', 'beta'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
    }
    t.equal(JSON.stringify(withForms(answer.body)), JSON.stringify(expected))
  })

  await t.test('a key that cannot be', async (t) => {
    const answer = await api('POST', '/api/v1/namespaces/default/segments', {
      key: 'bad key',
      name: 'x',
    })
    t.equal(answer.status, 400)
    const message =
      'invalid field key: contains invalid characters: allowed are letters, digits, "-", "_" and ","'
    t.equal(answer.text, JSON.stringify({ code: 3, message, details: [] }))
  })
})
