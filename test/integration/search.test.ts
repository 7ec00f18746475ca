import t from 'tap'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

interface FlagList {
  readonly flags: readonly { readonly key: string }[]
  readonly nextPageToken: string
  readonly totalCount: number
}

t.test('flags and segments are searched over HTTP', async (t) => {
  const { urls, api, createNamespacedToken } = await startStack(t)
  const flags = '/api/v1/namespaces/default/flags'
  const made = [
    { key: 'a', name: 'Checkout', metadata: { tags: ['pay', 'eu'], owner: 'team a&b' } },
    { key: 'b', name: 'CHECKOUT 50%', type: 'BOOLEAN_FLAG_TYPE', metadata: { tags: ['pay'] } },
    { key: 'c', name: 'Other', enabled: true, metadata: { tags: 'pay', owner: 5 } },
  ]
  for (const flag of made) t.equal((await api('POST', flags, flag)).status, 200)
  const keys = async (query: string) => {
    const { status, body, text } = await api('GET', `${flags}?${query}`)
    t.equal(status, 200, text)
    const { flags: found, totalCount } = body as FlagList
    t.equal(totalCount, found.length)
    return found.map(({ key }) => key).join('')
  }
  const cases: Record<string, string> = {
    '': 'abc',
    'q=cHECKOUT': 'ab',
    'q=50%25': 'b',
    'q=%5f': '',
    'type=VARIANT_FLAG_TYPE': 'ac',
    'type=1': 'b',
    'enabled=true': 'c',
    'enabled=false': 'ab',
    'tags=pay': 'ab',
    'tags=eu&tags=pay': 'a',
    'owner=team+a%26b': 'a',
    'q=checkout&sort=-key': 'ba',
    'sort=-updatedAt': 'cba',
    'q=&type=&enabled=&tags=&owner=&sort=': 'abc',
  }
  for (const [query, expected] of Object.entries(cases)) {
    t.equal(await keys(query), expected, query)
  }
  const { body } = await api('GET', `${flags}?tags=pay&sort=-name&limit=1`)
  const { nextPageToken, totalCount } = body as FlagList
  t.equal(totalCount, 2)
  const next = await api(
    'GET',
    `/api/v1/flags?tags=pay&sort=-name&limit=1&pageToken=${nextPageToken}`,
  )
  t.match(next.body, { flags: [{ key: 'a' }], nextPageToken: '', totalCount: 2 })
  const wrong = await api('GET', `${flags}?tags=pay&sort=name&limit=1&pageToken=${nextPageToken}`)
  const message = 'pageToken is of a list with another filter or sort: repeat those'
  t.match(wrong, { status: 400, body: { code: 3, message, details: [] } })

  const tags = [
    { name: 'pay', count: 2 },
    { name: 'eu', count: 1 },
  ]
  t.strictSame((await api('GET', '/api/v1/namespaces/default/tags')).body, { tags, totalCount: 2 })
  await api('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
  const authorization = `Bearer ${await createNamespacedToken('other')}`
  const path = (namespace: string) => `/api/v1/namespaces/${namespace}/tags`
  const own = await call(urls[0], 'GET', path('other'), undefined, { authorization })
  t.strictSame([own.status, own.body], [200, { tags: [], totalCount: 0 }])
  const foreign = await call(urls[0], 'GET', path('default'), undefined, { authorization })
  t.equal(foreign.status, 403)

  await api('POST', '/api/v1/segments', { key: 's', name: 'Staff' })
  await api('POST', '/api/v1/segments', { key: 'r', name: 'Rest' })
  const segments = await api('GET', '/api/v1/namespaces/default/segments?q=ST&sort=-key')
  t.match(segments.body, { segments: [{ key: 's' }, { key: 'r' }], totalCount: 2 })
})

t.test('lists say more with a view, and nothing more without one', async (t) => {
  const { api } = await startStack(t)
  const namespace = '/api/v1/namespaces/default'
  await api('POST', `${namespace}/segments`, { key: 'all', name: 'All' })
  await api('POST', `${namespace}/flags`, { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE' })
  const rollout = { rank: 1, threshold: { percentage: 31, value: true } }
  await api('POST', `${namespace}/flags/f/rollouts`, rollout)
  const of = async (path: string) => (await api('GET', `${namespace}${path}`)).body
  const plain = await of('/flags')
  const withView = await of('/flags?view=SUMMARY')
  const [flag] = (withView as { flags: { summary: Record<string, unknown> }[] }).flags
  const { revision, changedBy, changedAt, ...counts } = flag?.summary ?? {}
  t.strictSame(counts, { ruleCount: 0, rolloutCount: 1, onShare: 31 })
  t.match(
    { revision, changedBy, changedAt },
    {
      revision: Number,
      changedBy: { method: 'METHOD_TOKEN', address: '' },
      changedAt: /^2.*Z$/,
    },
  )
  Reflect.deleteProperty(flag ?? {}, 'summary')
  t.strictSame(withView, plain)
  const segment = { key: 'all', usedBy: 0, matchesEveryone: true }
  t.match(await of('/segments?view=SUMMARY'), { segments: [segment] })
  t.match(await of('?view=SUMMARY'), { flagCount: 1, segmentCount: 1 })
  t.notOk('flagCount' in ((await of('')) as object))
  t.match(await of('/flags?segment=all'), { flags: [], totalCount: 0 })
  t.equal((await api('GET', `${namespace}/flags?view=FULL`)).status, 400)
})
