import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { type Answer, call } from '../support/http.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

const flags = '/api/v1/namespaces/default/flags'
const bulk = '/ofrep/v1/evaluate/flags'
const alice = { targetingKey: 'alice' }

t.test('OFREP', async (t) => {
  const { api, urls, token, createNamespacedToken } = await startStack(t)
  const evaluate = (key: string, context?: object, headers = {}) =>
    api('POST', `${bulk}/${key}`, context && { context }, headers)
  const evaluateAll = (context?: object, headers = {}) =>
    api('POST', bulk, context && { context }, headers)

  await loadDocument(api, readFixture('ofrep'))
  await api('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })

  await t.test('evaluates a boolean flag', async (t) => {
    const answer = await evaluate('on', alice)
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), /^application\/json/)
    const expected = { key: 'on', reason: 'DEFAULT', variant: 'true', value: true, metadata: {} }
    t.equal(answer.text, JSON.stringify(expected))
    t.match((await evaluate('half', alice)).body, { key: 'half' })
  })

  await t.test('evaluates a variant flag, with values of any JSON type', async (t) => {
    const answer = await evaluate('color', { ...alice, region: 'eu', seats: 10, x: null, y: [1] })
    t.strictSame(answer.body, {
      key: 'color',
      reason: 'TARGETING_MATCH',
      variant: 'blue',
      value: 'blue',
      metadata: { segments: 'eu,big', attachment: '{"a":1}' },
    })
  })

  await t.test('leaves the value to the application when nothing is served', async (t) => {
    const none = await evaluate('color', alice)
    t.strictSame(none.body, { key: 'color', reason: 'UNKNOWN', variant: '', metadata: {} })
    const off = { key: 'off', reason: 'DISABLED', variant: '', metadata: {} }
    t.strictSame((await evaluate('off', alice)).body, off)
    const { body } = await evaluateAll({ ...alice, flags: 'off' })
    t.match(body, { flags: [off] })
    t.notOk('value' in ((body as { flags: object[] }).flags[0] ?? {}))
  })

  await t.test(
    'has variant flags that are off among all only where they are asked for',
    async (t) => {
      const askAll = (query: string, headers = {}) =>
        api('POST', `${bulk}${query}`, { context: alice }, headers)
      const usual = await askAll('')
      const whole = await askAll('?disabled=true')
      const keysIn = ({ body }: Answer) =>
        (body as { flags: { key: string }[] }).flags.map(({ key }) => key)
      t.notOk(keysIn(usual).includes('off'))
      t.ok(keysIn(whole).includes('off'))
      t.strictSame(
        keysIn(whole).filter((key) => keysIn(usual).includes(key)),
        keysIn(usual),
      )
      t.equal((await askAll('?disabled=false')).text, usual.text)
      const known = { 'if-none-match': usual.headers.get('etag') ?? '' }
      t.equal((await askAll('', known)).status, 304)
      t.equal((await askAll('?disabled=true', known)).status, 200)
    },
  )

  await t.test('without a targeting key it is another entity each time', async (t) => {
    const values = new Set()
    for (let i = 0; i < 40; i++) {
      values.add(((await evaluate('half')).body as { value: boolean }).value)
    }
    t.equal(values.size, 2)
    const one = await evaluate('half', { targetingKey: '' })
    for (let i = 0; i < 5; i++) {
      t.strictSame((await evaluate('half', { targetingKey: '' })).body, one.body)
    }
  })

  await t.test(
    'evaluates all flags but variant flags that are off, the oldest first',
    async (t) => {
      const answer = await evaluateAll(alice)
      t.equal(answer.status, 200)
      const { flags: found } = answer.body as { flags: { key: string }[] }
      t.strictSame(
        found.map(({ key }) => key),
        ['on', 'half', 'color', 'size'],
      )
      t.strictSame(found[0], (await evaluate('on', alice)).body)
    },
  )

  await t.test('evaluates those that are listed, each with what came of it', async (t) => {
    const answer = await evaluateAll({ ...alice, flags: ' color, gone ,,off,on' })
    t.match((answer.body as { flags: object[] }).flags, [
      { key: 'color', reason: 'UNKNOWN' },
      { key: 'gone', errorCode: 'FLAG_NOT_FOUND', errorDetails: 'flag was not found gone' },
      { key: 'off', reason: 'DISABLED' },
      { key: 'on', value: true },
    ])
    for (const list of ['', ' , ']) {
      const all = await evaluateAll({ ...alice, flags: list })
      t.equal((all.body as { flags: object[] }).flags.length, 4, 'an empty list is none')
    }
    const many = Array.from({ length: 1001 }, (_, i) => `f${i}`).join()
    t.equal((await evaluateAll({ ...alice, flags: many })).status, 400)
  })

  await t.test('has no flags of a namespace that does not exist, until it does', async (t) => {
    const headers = { 'x-svc-namespace': 'to-come' }
    const before = await evaluateAll(alice, headers)
    t.equal(before.status, 200)
    t.strictSame((before.body as { flags: object[] }).flags, [])
    const etag = before.headers.get('etag') ?? ''
    const again = await evaluateAll(alice, { ...headers, 'if-none-match': etag })
    t.strictSame([again.status, again.headers.get('etag')], [304, etag])
    const listed = await evaluateAll({ ...alice, flags: 'on' }, headers)
    t.match(listed.body, { flags: [{ key: 'on', errorCode: 'FLAG_NOT_FOUND' }] })
    t.equal((await evaluate('on', alice, headers)).status, 404, 'a single flag is not found')
    await api('POST', '/api/v1/namespaces', { key: 'to-come', name: 'To come' })
    const empty = await evaluateAll(alice, { ...headers, 'if-none-match': etag })
    t.equal(empty.status, 200)
    await api('POST', '/api/v1/namespaces/to-come/flags', {
      key: 'new',
      name: 'New',
      type: 'BOOLEAN_FLAG_TYPE',
    })
    const after = await evaluateAll(alice, { ...headers, 'if-none-match': etag })
    t.match(after, { status: 200, body: { flags: [{ key: 'new', value: false }] } })
  })

  await t.test('has attachments as values for clients that request them', async (t) => {
    const context = { ...alice, region: 'eu', seats: 10 }
    const headers = { 'X-Svc-Value': 'attachment' }
    const expected = { key: 'color', variant: 'blue', value: { a: 1 } }
    const single = await evaluate('color', context, headers)
    t.match(single.body, expected)
    const [asText, asValue] = [await evaluateAll(context), await evaluateAll(context, headers)]
    t.match(asValue.body, { flags: [{ key: 'on', value: true }, {}, expected, {}] })
    t.match(asText.body, { flags: [{}, {}, { ...expected, value: 'blue' }, {}] })

    const [text, value] = [asText, asValue].map((answer) => answer.headers.get('etag') ?? '')
    t.not(text, value)
    t.equal((await evaluateAll(context, { ...headers, 'if-none-match': text })).status, 200)
    t.equal((await evaluateAll(context, { ...headers, 'if-none-match': value })).status, 304)
    for (const answer of [single, asText, asValue]) {
      t.match(answer.headers.get('vary'), /\bX-Svc-Value\b/)
    }
    t.match((await evaluate('color', context, { 'X-Svc-Value': '' })).body, { value: 'blue' })
    for (const [path, key] of [
      ['/color', { key: 'color' }],
      ['', {}],
    ] as const) {
      const refused = await api('POST', bulk + path, { context }, { 'X-Svc-Value': 'json' })
      t.strictSame(refused.body, {
        ...key,
        errorCode: 'INVALID_CONTEXT',
        errorDetails: 'invalid field X-Svc-Value: must be "attachment" or left out',
      })
    }
  })

  await t.test('says that nothing has changed, until it has', async (t) => {
    const first = await evaluateAll({ ...alice, region: 'eu', seats: 10 })
    const etag = first.headers.get('etag') ?? ''
    t.match(etag, /^"[-_A-Za-z0-9]{43}"$/)
    const same = { seats: 10, region: 'eu', ...alice, gone: null }
    for (const match of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await evaluateAll(same, { 'if-none-match': match })
      t.strictSame([again.status, again.text, again.headers.get('etag')], [304, '', etag])
    }
    const others = [{ ...same, seats: 11 }, { ...same, flags: 'on' }, { targetingKey: 'bob' }]
    for (const context of others) {
      const other = await evaluateAll(context, { 'if-none-match': etag })
      t.equal(other.status, 200)
      t.not(other.headers.get('etag'), etag)
    }
    const elsewhere = await evaluateAll(same, {
      'if-none-match': etag,
      'x-svc-namespace': 'other',
    })
    t.equal(elsewhere.status, 200)
    await api('PUT', `${flags}/size`, { name: 'Sizes', enabled: true })
    const changed = await evaluateAll(same, { 'if-none-match': etag })
    t.equal(changed.status, 200)
    t.not(changed.headers.get('etag'), etag)
  })

  await t.test('says of which revision it is, also where there is nothing', async (t) => {
    const written = await api('PUT', `${flags}/size`, { name: 'Size', enabled: true })
    const revision = written.headers.get('x-svc-revision')
    t.match(revision, /^default:\d+$/)
    const answer = await evaluateAll(alice)
    t.equal(answer.headers.get('x-svc-revision'), revision)
    const again = await evaluateAll(alice, { 'if-none-match': answer.headers.get('etag') ?? '' })
    t.strictSame([again.status, again.headers.get('x-svc-revision')], [304, revision])
    const nowhere = await evaluateAll(alice, { 'x-svc-namespace': 'nowhere' })
    t.equal(nowhere.headers.get('x-svc-revision'), 'nowhere:0')
  })

  await t.test('an answer by chance has no tag', async (t) => {
    const answer = await evaluateAll({ region: 'eu' }, { 'if-none-match': '*' })
    t.strictSame([answer.status, answer.headers.get('etag')], [200, null])
  })

  await t.test('takes the namespace from either header', async (t) => {
    await api('POST', '/api/v1/namespaces/other/flags', { key: 'there', name: 'There' })
    for (const name of ['X-Svc-Namespace', 'X-Flipt-Namespace']) {
      t.equal((await evaluate('there', alice, { [name]: 'other' })).status, 200)
    }
    const both = { 'X-Svc-Namespace': 'other', 'X-Flipt-Namespace': 'other' }
    t.equal((await evaluate('there', alice, both)).status, 200)
    const empty = { 'X-Svc-Namespace': '', 'X-Flipt-Namespace': 'other' }
    t.equal((await evaluate('there', alice, empty)).status, 200)
    const differing = { ...both, 'X-Flipt-Namespace': 'default' }
    const refused = await evaluate('there', alice, differing)
    t.strictSame(refused.body, {
      key: 'there',
      errorCode: 'INVALID_CONTEXT',
      errorDetails: 'invalid field X-Svc-Namespace: differs from X-Flipt-Namespace',
    })
    t.equal((await evaluate('there', alice, { 'X-Svc-Namespace': 'a b' })).status, 400)
  })

  await t.test('lets a namespaced token into its namespace only', async (t) => {
    const authorization = `Bearer ${await createNamespacedToken('other')}`
    const inside = { authorization, 'X-Svc-Namespace': 'other' }
    t.equal((await evaluate('there', alice, inside)).status, 200)
    t.equal((await evaluateAll(alice, inside)).status, 200)
    t.equal((await api('GET', '/ofrep/v1/configuration', undefined, inside)).status, 200)
    for (const headers of [{ authorization }, { ...inside, 'X-Svc-Namespace': 'default' }]) {
      t.match(await evaluate('on', alice, headers), {
        status: 403,
        body: { key: 'on', errorCode: 'GENERAL', errorDetails: /is restricted to namespace/ },
      })
    }
  })

  await t.test('describes to providers what it supports', async (t) => {
    t.strictSame((await api('GET', '/ofrep/v1/configuration')).body, {
      name: 'svc',
      capabilities: {
        cacheInvalidation: { polling: { enabled: true, minPollingIntervalMs: 10_000 } },
        flagEvaluation: { supportedTypes: ['string', 'boolean'] },
      },
    })
  })

  await t.test('takes a slash at the end of any path', async (t) => {
    t.equal((await api('POST', `${bulk}/`, {})).status, 200)
    t.equal((await api('POST', `${bulk}/on/`, {})).status, 200)
    t.equal((await api('GET', '/ofrep/v1/configuration/')).status, 200)
  })

  await t.test('indents when asked to be pretty', async (t) => {
    t.match((await api('POST', `${bulk}/on?pretty`, {})).text, /^\{\n {2}"key"/)
  })

  await t.test('fails in the form of the protocol, whatever it is that fails', async (t) => {
    const large = JSON.stringify({ context: { x: 'x'.repeat(2 ** 20) } })
    const wide = { context: { ...alice, x: 'x'.repeat(70_000) } }
    const many = { context: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [i, 'x'])) }
    const post = (path: string, body: unknown = {}) => api('POST', bulk + path, body)
    const anonymous = (path: string) => call(urls[0], 'POST', bulk + path, {})
    const gone = { 'X-Svc-Namespace': 'gone' }
    const late = { 'X-Svc-Min-Revision': 'default:900000000000' }
    const refused =
      /^request was not authenticated: no credential: send Authorization: Bearer <token>$/
    const table: [answer: Promise<Answer>, status: number, details: RegExp, key?: string][] = [
      [evaluate('x'), 404, /^flag was not found x$/, 'x'],
      [evaluate('x', {}, gone), 404, /^flag was not found x$/, 'x'],
      [post('/on', '{'), 400, /json/, 'on'],
      [post('', '{'), 400, /json/],
      [post('/on', { context: 1 }), 400, /json/, 'on'],
      [post('/on', wide), 400, /65536/, 'on'],
      [post('/on', many), 400, /256/, 'on'],
      [post('//'), 400, /^flag key was not provided$/],
      [post('/on', large), 413, /too large/, 'on'],
      [anonymous('/on'), 401, refused, 'on'],
      [anonymous(''), 401, refused],
      [api('GET', '/ofrep/v1/x'), 404, /^Not Found$/],
      [api('GET', '/ofrep'), 404, /^Not Found$/],
      [api('POST', '/ofrep/v2/evaluate/flags/x', {}), 404, /^Not/],
      [api('GET', `${bulk}/on`), 405, /^Method Not Allowed: use POST$/],
      [post('/%ff'), 400, /^the URL is malformed$/],
      [post(`/${'x'.repeat(4200)}`), 414, /too long/],
      [evaluate('on', {}, late), 503, /is not here yet/, 'on'],
    ]
    const codes: Record<number, string> = { 404: 'FLAG_NOT_FOUND', 400: 'INVALID_CONTEXT' }
    for (const [asked, status, errorDetails, key] of table) {
      const { status: actual, body, headers } = await asked
      const errorCode = codes[status] ?? 'GENERAL'
      const expected = { ...(key && { key }), errorCode, errorDetails }
      t.equal(actual, status, String(errorDetails))
      t.match(body, expected)
      t.strictSame(Object.keys(body as object), Object.keys(expected))
      t.match(headers.get('content-type'), /^application\/json/)
      if (status === 401) t.ok(headers.get('www-authenticate'), 'with a challenge')
      if (status === 405) t.equal(headers.get('allow'), 'POST')
      if (status === 503) t.equal(headers.get('retry-after'), '1')
    }
    const evaluation = await api('POST', '/evaluate/v1/boolean', { flagKey: 'gone' })
    t.match(evaluation.body, { code: 5, message: String, details: [] }, 'and only there')
  })

  await t.test('waits for the revision of an event', async (t) => {
    const { headers } = await api('PUT', `${flags}/size`, { name: 'Size', enabled: true })
    const revision = headers.get('x-svc-revision') ?? ''
    const later = revision.replace(/\d+$/, (digits) => String(Number(digits) + 1))
    const refetch = (etag: string) =>
      api('POST', `${bulk}?flagConfigEtag=${encodeURIComponent(etag)}`, { context: alice })
    t.equal((await refetch(revision)).status, 200)
    t.equal((await refetch(later)).status, 503)
    const waiting = refetch(later)
    await sleep(100)
    await api('PUT', `${flags}/size`, { name: 'Sizes', enabled: true })
    t.equal((await waiting).status, 200)
    for (const foreign of ['"abc"', 'other:99999999', 'default:', 'default:-1', 'default:1e9']) {
      t.equal((await refetch(foreign)).status, 200, 'and for nothing else')
    }
  })

  await t.test('admits no caller that is refused elsewhere', async (t) => {
    const wrong = { authorization: `Bearer ${token}x` }
    for (const path of [bulk, `${bulk}/on`]) {
      t.equal((await api('POST', path, {}, wrong)).status, 401)
    }
  })
})

t.test('OFREP without credentials where it is excluded', async (t) => {
  const { api, urls } = await startStack(t, {
    env: { SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' },
  })
  await api('POST', flags, { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true })
  const answer = await call(urls[0], 'POST', bulk, { context: alice })
  t.match(answer.body, {
    flags: [{ key: 'on', value: true }],
    eventStreams: [{ endpoint: { requestUri: /events\?since=\d+$/ } }],
  })
  t.equal((await call(urls[0], 'POST', `${bulk}/on`, {})).status, 200)
  t.equal((await call(urls[0], 'POST', '/evaluate/v1/boolean', {})).status, 401)
})
