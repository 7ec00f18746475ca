import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const base = '/api/v1/namespaces/default'

t.test('evaluation over HTTP', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t)
  await api('POST', `${base}/flags`, {
    key: 'on',
    name: 'On',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: true,
  })
  await api('POST', `${base}/flags`, { key: 'color', name: 'Color', enabled: true })
  const attachment = JSON.stringify('x'.repeat(1_000_000))
  const created = await api('POST', `${base}/flags/color/variants`, { key: 'blue', attachment })
  const { id } = created.body as { id: string }
  await api('PUT', `${base}/flags/color`, { name: 'Color', enabled: true, defaultVariantId: id })
  for (const deadline = Date.now() + 5000; Date.now() < deadline; await sleep(20)) {
    const answer = await api('POST', '/evaluate/v1/variant', { flagKey: 'color' })
    if ((answer.body as { variantKey?: string }).variantKey === 'blue') break
  }

  await t.test('takes either spelling, and any JSON as the value of a context', async (t) => {
    const answer = await api('POST', '/evaluate/v1/boolean', {
      namespace_key: 'default',
      flag_key: 'on',
      entity_id: 'e',
      request_id: 'r',
      context: { n: 1, b: true, o: { a: [] }, z: null },
      reference: null,
    })
    t.equal(answer.status, 200)
    t.match(answer.body, { enabled: true, requestId: 'r', flagKey: 'on', segmentKeys: [] })
  })

  await t.test('makes up a request id and says when', async (t) => {
    const answer = await api('POST', '/evaluate/v1/boolean', { flagKey: 'on' })
    t.match(answer.body, {
      requestId: /^[0-9a-f-]{36}$/,
      timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/,
      requestDurationMillis: Number,
    })
  })

  await t.test('says which field has a value of the wrong type, and not the value', async (t) => {
    const sent = { secret: 's3cret' }
    const list = 'requests must be a list of objects'
    const table: [path: string, body: object, rule: string][] = [
      ['boolean', { flagKey: sent }, 'flagKey must be a string'],
      ['variant', { entity_id: sent }, 'entityId must be a string'],
      ['variant', { namespaceKey: ['s3cret'] }, 'namespaceKey must be a string'],
      ['boolean', { context: 's3cret' }, 'context must be an object'],
      ['batch', { requests: 's3cret' }, list],
      ['batch', { requests: sent }, list],
      ['batch', { requests: ['s3cret'] }, list],
      ['batch', { requests: [{ flagKey: sent }] }, 'flagKey must be a string'],
    ]
    for (const [path, body, rule] of table) {
      const message = `invalid values for key(s) in json body: ${rule}`
      const answer = await api('POST', `/evaluate/v1/${path}`, body)
      t.strictSame([answer.status, answer.body], [400, { code: 3, message, details: [] }])
    }
    const legacy = await api('POST', '/api/v1/batch-evaluate', { excludeNotFound: 's3cret' })
    t.match(legacy.body, { message: /: excludeNotFound must be true or false$/ })
  })

  await t.test('refuses the wrong flag type, and a flag that is not there', async (t) => {
    const wrong = await api('POST', '/evaluate/v1/boolean', { flagKey: 'color' })
    t.match(wrong, {
      status: 400,
      body: { message: 'flag type VARIANT_FLAG_TYPE invalid: use /evaluate/v1/variant' },
    })
    const other = await api('POST', '/evaluate/v1/variant', { flagKey: 'on' })
    t.match(other, {
      status: 400,
      body: { message: 'flag type BOOLEAN_FLAG_TYPE invalid: use /evaluate/v1/boolean' },
    })
    const none = await api('POST', '/evaluate/v1/boolean', { flagKey: 'x', namespaceKey: 'y' })
    t.match(none, { status: 404, body: { code: 5, message: 'flag "y/x" not found' } })
  })

  await t.test(
    'answers a batch in order, errors in their place, lists as objects too',
    async (t) => {
      const items = [{ flagKey: 'on', requestId: 'a' }, { flagKey: 'gone' }, { flagKey: 'color' }]
      const answer = await api('POST', '/evaluate/v1/batch', {
        requestId: 'r',
        requests: { ...items },
      })
      t.equal(answer.status, 200)
      t.match(answer.body, {
        requestId: 'r',
        responses: [
          { type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse: { requestId: 'a' } },
          {
            type: 'ERROR_EVALUATION_RESPONSE_TYPE',
            errorResponse: {
              flagKey: 'gone',
              namespaceKey: '',
              reason: 'NOT_FOUND_ERROR_EVALUATION_REASON',
            },
          },
          { type: 'VARIANT_EVALUATION_RESPONSE_TYPE', variantResponse: { requestId: '' } },
        ],
      })
    },
  )

  await t.test('refuses more than it should answer at once', async (t) => {
    const many = Array.from({ length: 1001 }, () => ({ flagKey: 'on' }))
    t.match(await api('POST', '/evaluate/v1/batch', { requests: many }), { status: 400 })
    const large = Array.from({ length: 20 }, () => ({ flagKey: 'color' }))
    const refused = { status: 400, body: { message: /16 MiB of attachments/ } }
    t.match(await api('POST', '/evaluate/v1/batch', { requests: large }), refused)
    const legacy = large.map((item) => ({ ...item, entityId: 'e' }))
    t.match(await api('POST', '/api/v1/batch-evaluate', { requests: legacy }), refused)
    const context = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`k${i}`, 'v']))
    t.match(await api('POST', '/evaluate/v1/boolean', { flagKey: 'on', context }), { status: 400 })
    const wide = { k: 'é'.repeat(40_000) }
    const answer = await api('POST', '/evaluate/v1/boolean', { flagKey: 'on', context: wide })
    t.match(answer, { status: 400, body: { message: /must be at most 65536 bytes/ } })
  })

  await t.test('indents when asked to be pretty', async (t) => {
    const answer = await api('POST', '/evaluate/v1/boolean?pretty', { flagKey: 'on' })
    t.match(answer.text, /^\{\n {2}"/)
    t.match(answer.headers.get('content-type'), /^application\/json/)
  })

  await t.test('the older endpoints: rules of their own', async (t) => {
    const evaluate = (body: object) => api('POST', `${base}/evaluate`, body)
    t.match(await evaluate({ entityId: 'e' }), {
      status: 400,
      body: { message: 'invalid field flagKey: must not be empty' },
    })
    t.match(await evaluate({ flagKey: 'color' }), {
      status: 400,
      body: { message: 'invalid field entityId: must not be empty' },
    })
    const answer = await evaluate({ flagKey: 'color', entityId: 'e', context: { a: 'b' } })
    t.match(answer.body, {
      match: false,
      value: 'blue',
      reason: 'DEFAULT_EVALUATION_REASON',
      namespaceKey: 'default',
      requestContext: { a: 'b' },
      segmentKey: '',
    })
    const batch = (body: object) => api('POST', '/api/v1/batch-evaluate', body)
    const missing = [{ flagKey: 'gone', entityId: 'e' }]
    t.match(await batch({ requests: missing }), { status: 404 })
    t.match(await batch({ requests: missing, excludeNotFound: true }), {
      status: 200,
      body: { responses: [] },
    })
    t.match(await batch({ requests: [{ flagKey: 'color', namespaceKey: 'other' }] }), {
      status: 400,
      body: { message: /must be the same for all requests if specified/ },
    })
  })

  await t.test('a namespaced token may not ask for nothing', async (t) => {
    await api('POST', '/api/v1/namespaces', { key: 'inside', name: 'Inside' })
    const authorization = `Bearer ${await createNamespacedToken('inside')}`
    for (const path of ['/evaluate/v1/batch', '/api/v1/namespaces/inside/batch-evaluate']) {
      t.match(await call(urls[0], 'POST', path, {}, { authorization }), { status: 403 }, path)
    }
  })

  await t.test('a body may take longer to arrive than an answer may take', async (t) => {
    const body = JSON.stringify({ flagKey: 'on' })
    const pieces = [...body].map((_, i) => body.slice(i * 3, i * 3 + 3)).filter((one) => one !== '')
    const slowly = async function* () {
      for (const piece of pieces) {
        yield Buffer.from(piece)
        await sleep(6000 / pieces.length)
      }
    }
    const response = await fetch(`${urls[0]}/evaluate/v1/boolean`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: ReadableStream.from(slowly()),
      duplex: 'half',
    })
    t.equal(response.status, 200)
    await response.body?.cancel()
  })

  await t.test('an odd credential on a public route does no harm', async (t) => {
    const odd = { authorization: 'Bearer a\tb' }
    t.match(await call(urls[0], 'GET', '/auth/v1/method', undefined, odd), { status: 200 })
  })
})
