import type { VectorDocument } from '@svc/evaluation/testing'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'
import { call } from '../support/http.ts'
import { loadDocument } from '../support/load-document.ts'
import { startStack } from '../support/stack.ts'

const pathOf = (namespaceKey: string) =>
  `/internal/v1/evaluation/snapshot/namespace/${namespaceKey}`

const newest = { 'x-svc-accept-server-version': '1.47.0' }

type Record = Readonly<{ [field: string]: unknown }>
type Content = Record & Readonly<Partial<{ [list in Lists]: readonly Record[] }>>
type Listed = { readonly flags: readonly { readonly key: string }[] }
type Lists = 'variants' | 'rules' | 'constraints'

t.test('the snapshot of a namespace', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t, {
    gateways: 2,
    env: { SVC_CORS_ENABLED: 'true', SVC_CORS_ALLOWED_ORIGINS: 'https://app.example' },
  })
  const get = (namespaceKey: string, headers: { readonly [name: string]: string } = {}) =>
    api('GET', pathOf(namespaceKey), undefined, { ...newest, ...headers })

  const { namespace, snapshot } = readFixture<{ namespace: VectorDocument; snapshot: object }>(
    'namespace-snapshot',
  )
  await loadDocument(api, namespace)
  const base = '/api/v1/namespaces/shop'

  await t.test('has what the management API has', async (t) => {
    const read = async (path: string) => (await api('GET', base + path)).body as Content
    const { variants: [variant] = [], ...color } = await read('/flags/color')
    const { rules: [rule] = [] } = await read('/flags/color/rules')
    const { constraints: [constraint] = [] } = await read('/segments/staff')
    const records = { color, variant, rule, constraint, switch: await read('/flags/switch') }
    const expected = JSON.stringify(snapshot).replace(
      /\$(\w+)\.(\w+)/g,
      (_, name: keyof typeof records, field: string) => String(records[name]?.[field]),
    )
    const { status, body, headers } = await get('shop')
    t.equal(status, 200)
    t.equal(headers.get('content-type'), 'application/json')
    t.strictSame(body, JSON.parse(expected))
  })

  await t.test('depends on what the client understands', async (t) => {
    const textOf = async (headers: { readonly [name: string]: string }) =>
      (await api('GET', pathOf('shop'), undefined, headers)).text
    const current = await textOf(newest)
    const of1_38 = await textOf({ 'x-flipt-accept-server-version': 'v1.38' })
    const without = await textOf({})
    t.match(current, 'defaultVariant')
    t.notMatch(of1_38, 'defaultVariant')
    t.match(of1_38, 'ENTITY_ID_CONSTRAINT')
    t.notMatch(without, 'ENTITY_ID_CONSTRAINT')
    t.match(without, 'UNKNOWN_CONSTRAINT')
    t.equal(await textOf({ 'x-flipt-accept-server-version': '1.47.0' }), current)
  })

  await t.test('has a tag, and is not sent again while it is the same', async (t) => {
    const first = await get('shop')
    const etag = first.headers.get('etag') ?? ''
    t.match(etag, /^[0-9a-f]{40}$/)
    for (const header of [etag, `"${etag}"`, `W/"${etag}"`, `"x", ${etag}`]) {
      const answer = await get('shop', { 'if-none-match': header })
      t.equal(answer.status, 304, header)
      t.equal(answer.text, '')
      t.equal(answer.headers.get('etag'), etag)
      t.equal(answer.headers.get('cache-control'), 'private, no-cache')
    }
    const others = [newest, { 'x-svc-accept-server-version': '1.38' }, {}].map(async (headers) => {
      return (await api('GET', pathOf('shop'), undefined, headers)).headers.get('etag')
    })
    t.equal(new Set(await Promise.all(others)).size, 3, 'each form has a tag of its own')

    await api('PUT', `${base}/segments/staff`, { name: 'Others' })
    const changed = await get('shop', { 'if-none-match': etag })
    t.equal(changed.status, 200)
    t.not(changed.headers.get('etag'), etag)
  })

  await t.test('is the same on every gateway', async (t) => {
    const own = await get('shop')
    const headers = {
      ...newest,
      authorization: `Bearer ${token}`,
      'x-svc-min-revision': own.headers.get('x-svc-revision') ?? '',
    }
    const other = await call(urls[1] ?? '', 'GET', pathOf('shop'), undefined, headers)
    t.equal(other.text, own.text)
    t.equal(other.headers.get('etag'), own.headers.get('etag'))
  })

  await t.test('has the order of the list, like records and OFREP, on every gateway', async (t) => {
    const path = '/api/v1/namespaces/ordered'
    const keys = ['c', 'a', 'b', 'd']
    await api('POST', '/api/v1/namespaces', { key: 'ordered', name: 'Ordered' })
    const flagOf = (key: string) => ({ key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
    const operations = keys.map((key) => ({ kind: 'FLAG_KIND', key, flag: flagOf(key) }))
    const applied = await api('POST', `${path}/apply`, { operations })
    const headers = {
      ...newest,
      authorization: `Bearer ${token}`,
      'x-svc-min-revision': applied.headers.get('x-svc-revision') ?? '',
      'x-svc-namespace': 'ordered',
    }
    const context = { targetingKey: 'u1' }
    for (const [index, url] of urls.entries()) {
      const ask = (method: string, path: string, body?: object) =>
        call(url, method, path, body, headers)
      // What a gateway is asked for before it shows all of it makes no difference.
      await ask('POST', `/ofrep/v1/evaluate/flags/${keys.at(-index)}`, { context })
      const answers = [
        await ask('GET', `${path}/flags`),
        await ask('GET', pathOf('ordered')),
        await ask('GET', '/internal/v1/evaluation/records/namespace/ordered'),
        await ask('POST', '/ofrep/v1/evaluate/flags', { context }),
      ]
      const listed = answers.map(({ body }) => (body as Listed).flags.map(({ key }) => key))
      t.strictSame(listed, Array(answers.length).fill(keys), url)
    }
  })

  await t.test('shows a write to a request that asks for its revision', async (t) => {
    const written = await api('PUT', `${base}/flags/switch`, { name: 'Renamed' })
    const revision = written.headers.get('x-svc-revision') ?? ''
    const headers = { ...newest, authorization: `Bearer ${token}`, 'x-svc-min-revision': revision }
    const answer = await call(urls[1] ?? '', 'GET', pathOf('shop'), undefined, headers)
    t.match(answer.text, '"Renamed"')
    t.equal(answer.headers.get('x-svc-revision'), revision)
    const late = await get('shop', { 'x-svc-min-revision': 'shop:999999999' })
    t.equal(late.status, 503)
    t.equal(late.headers.get('retry-after'), '1')
  })

  await t.test('of a namespace that does not exist is empty', async (t) => {
    const answer = await get('nowhere')
    t.equal(answer.status, 200)
    t.equal(answer.text, '{"namespace":{"key":"nowhere"},"flags":[]}')
    t.equal(answer.headers.get('etag'), null)
  })

  await t.test('takes the key of a namespace as other routes do', async (t) => {
    t.match((await get('%73hop')).body, { namespace: { key: 'shop' } })
    t.match((await get('shop/')).body, { namespace: { key: 'shop' } })
    t.equal((await get('shop?reference=main&reference=other')).status, 200)
    for (const path of ['sh.op', 'a%2Fb', 'shop%20', 'x'.repeat(256)]) {
      const answer = await get(path)
      t.match(answer.body, { code: 3, message: /^invalid field key: / }, path)
    }
    t.match(await get('shop?key=other'), { status: 400 })
    t.match(await get('%zz'), { status: 400 })
    t.match(await get(''), { status: 404 })
  })

  await t.test('is for tokens of that namespace', async (t) => {
    const inside = { authorization: `Bearer ${await createNamespacedToken('shop')}` }
    t.equal((await get('shop', inside)).status, 200)
    t.equal((await get('default', inside)).status, 403)
    t.equal((await get('nowhere', inside)).status, 403)
    t.equal((await get('shop', { authorization: 'Bearer nonsense' })).status, 401)
  })

  await t.test('is compressed for clients that accept it', async (t) => {
    const ask = (encoding: string) =>
      fetch(urls[0] + pathOf('shop'), {
        headers: { ...newest, authorization: `Bearer ${token}`, 'accept-encoding': encoding },
      })
    for (const encoding of ['gzip', 'br, gzip;q=0.5', 'GZIP', 'deflate, gzip']) {
      const answer = await ask(encoding)
      t.equal(answer.headers.get('content-encoding'), 'gzip', encoding)
      t.match(answer.headers.get('vary'), /accept-encoding/)
      t.strictSame(await answer.json(), (await get('shop')).body)
    }
    for (const encoding of ['gzip;q=0', 'deflate', 'br', 'gzip; q=0.00, br']) {
      const answer = await ask(encoding)
      t.equal(answer.headers.get('content-encoding'), null, encoding)
      await answer.body?.cancel()
    }
  })

  await t.test('can be fetched by the pages of another origin', async (t) => {
    const origin = 'https://app.example'
    const asked = 'authorization,if-none-match,x-flipt-accept-server-version,x-flipt-environment'
    const preflight = await call(urls[0], 'OPTIONS', pathOf('shop'), undefined, {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': asked,
    })
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
    for (const name of asked.split(',')) t.ok(allowed.split(', ').includes(name), name)
    const { headers } = await get('shop', { origin })
    t.match(headers.get('access-control-expose-headers'), /\bETag\b/)
    t.match(headers.get('vary'), /Origin, accept-encoding, x-svc-accept-server-version/i)
  })

  await t.test('is indented when asked', async (t) => {
    const plain = await get('shop')
    t.equal((await get('shop?pretty')).text, JSON.stringify(plain.body, null, 2))
  })

  await t.test('goes when the namespace goes, and comes with it', async (t) => {
    const before = (await get('shop')).headers.get('etag') ?? ''
    await api('DELETE', `${base}?force=true`)
    const gone = await get('shop', { 'if-none-match': before })
    t.strictSame([gone.status, gone.body], [200, { namespace: { key: 'shop' }, flags: [] }])
    await api('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })
    const after = await get('shop', { 'if-none-match': before })
    t.strictSame([after.status, after.body], [200, { namespace: { key: 'shop' }, flags: [] }])
    t.not(after.headers.get('etag'), before)
  })
})
