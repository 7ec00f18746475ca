import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { inOrder, type Records, RecordsReader } from '../support/records-reader.ts'
import { startStack } from '../support/stack.ts'

const pathOf = (namespaceKey: string) => `/internal/v1/evaluation/records/namespace/${namespaceKey}`

t.test('the records of a namespace', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t)
  const headers = { authorization: `Bearer ${token}` }
  const readerOf = (namespaceKey: string, more: Readonly<Record<string, string>> = {}) => {
    const url = `${urls[0]}${pathOf(namespaceKey)}/stream`
    const reader = new RecordsReader(url, { ...headers, ...more })
    t.teardown(() => reader.disconnect())
    return reader
  }
  const connected = async (namespaceKey: string) => {
    const reader = readerOf(namespaceKey)
    await reader.connect()
    await waitFor(() => reader.revision !== undefined)
    return reader
  }
  const get = (namespaceKey: string, more: Readonly<Record<string, string>> = {}) =>
    api('GET', pathOf(namespaceKey), undefined, more)
  const contentOf = async (namespaceKey: string) =>
    inOrder((await get(namespaceKey)).body as unknown as Records)
  const revisionOf = ({ headers }: { readonly headers: Headers }) =>
    Number(headers.get('x-svc-revision')?.split(':')[1])
  /** @returns the revision */
  const write = async (method: string, path: string, body?: object) => {
    const answer = await api(method, path, body)
    t.equal(answer.status, 200, answer.text)
    return revisionOf(answer)
  }

  const base = '/api/v1/namespaces/shop'
  const createFlag = (key: string) =>
    write('POST', `${base}/flags`, { key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
  await write('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })
  await write('POST', `${base}/segments`, { key: 'staff', name: 'Staff' })
  for (const key of ['a', 'b', 'c']) await createFlag(key)
  const rollouts = [
    { rank: 1, segment: { segmentKey: 'staff', value: true } },
    { rank: 2, threshold: { percentage: 12.5, value: true } },
  ]
  for (const rollout of rollouts) await write('POST', `${base}/flags/b/rollouts`, rollout)

  await t.test('are what decides', async (t) => {
    const { body, headers } = await get('shop')
    const revision = headers.get('x-svc-revision')
    const { flags, ...rest } = body as unknown as Records
    t.match(revision, /^shop:\d+$/)
    t.strictSame(rest, {
      revision: Number(revision?.slice(5)),
      fromRevision: 0,
      deletedSegmentKeys: [],
      segments: [{ key: 'staff', matchType: 'ALL_MATCH_TYPE', constraints: [] }],
      deletedFlagKeys: [],
    })
    const { createdAt } = (await api('GET', `${base}/flags/b`)).body as { createdAt: string }
    t.strictSame(
      flags.map(({ key }) => key),
      ['a', 'b', 'c'],
    )
    t.strictSame(flags[1], {
      key: 'b',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      created: Date.parse(`${createdAt.slice(0, 19)}Z`) * 1000 + Number(createdAt.slice(20, -1)),
      defaultVariantId: '',
      variants: [],
      rules: [],
      rollouts: [
        {
          rank: 1,
          segment: { segmentKeys: ['staff'], segmentOperator: 'OR_SEGMENT_OPERATOR', value: true },
        },
        { rank: 2, threshold: { percentage: 12.5, value: true } },
      ],
    })
  })

  await t.test('have the revision as their tag, and are not sent again', async (t) => {
    const first = await get('shop')
    const etag = first.headers.get('etag') ?? ''
    t.equal(`shop:${etag}`, first.headers.get('x-svc-revision')?.replace(/\d+/, '"$&"'))
    t.equal(first.headers.get('cache-control'), 'private, no-cache')
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const answer = await get('shop', { 'if-none-match': header })
      t.strictSame([answer.status, answer.text], [304, ''], header)
      t.equal(answer.headers.get('etag'), etag)
    }
    await write('PUT', `${base}/segments/staff`, { name: 'Others' })
    t.equal((await get('shop', { 'if-none-match': etag })).status, 200)
  })

  await t.test('are compressed, and of a namespace that does not exist empty', async (t) => {
    for (let i = 0; i < 10; i++) await createFlag(`more-${i}`)
    const zipped = await fetch(`${urls[0]}${pathOf('shop')}`, {
      headers: { ...headers, 'accept-encoding': 'gzip' },
    })
    t.equal(zipped.headers.get('content-encoding'), 'gzip')
    t.strictSame(await zipped.json(), (await get('shop')).body)
    const { status, body } = await get('nowhere')
    t.match([status, body], [200, { revision: 0, fromRevision: 0, flags: [] }])
  })

  await t.test('are for tokens of that namespace', async (t) => {
    const inside = { authorization: `Bearer ${await createNamespacedToken('shop')}` }
    for (const path of ['', '/stream']) {
      const statusFor = async (namespaceKey: string, headers: Record<string, string>) => {
        const answer = await fetch(`${urls[0]}${pathOf(namespaceKey)}${path}`, { headers })
        await answer.body?.cancel()
        return answer.status
      }
      t.equal(await statusFor('shop', inside), 200)
      t.equal(await statusFor('default', inside), 403)
      t.equal(await statusFor('shop', { authorization: 'Bearer nonsense' }), 401)
      t.equal(await statusFor('shop', {}), 401)
      t.equal(await statusFor('sh.op', headers), 400)
    }
  })

  await t.test('come as a stream: the whole, then what changes', async (t) => {
    const reader = await connected('shop')
    t.strictSame(reader.content, await contentOf('shop'))
    const from = reader.revision ?? 0
    const flag = await write('PUT', `${base}/flags/a`, { name: 'A', enabled: true })
    await waitFor(() => reader.revision === flag)
    const segment = await write('PUT', `${base}/segments/staff`, {
      name: 'Staff',
      matchType: 'ANY_MATCH_TYPE',
    })
    await waitFor(() => reader.revision === segment)
    const gone = await write('DELETE', `${base}/flags/c`)
    await waitFor(() => reader.revision === gone)
    t.strictSame([reader.events, reader.faults], [['whole', 'change', 'change', 'change'], []])
    const none = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }
    const shortened = reader.changes.map((change) => ({
      ...change,
      flags: change.flags.map(({ key }) => key),
      segments: change.segments.map(({ key }) => key),
    }))
    t.strictSame(shortened, [
      { ...none, revision: flag, fromRevision: from, flags: ['a'] },
      { ...none, revision: segment, fromRevision: flag, segments: ['staff'] },
      { ...none, revision: gone, fromRevision: segment, deletedFlagKeys: ['c'] },
    ])
    t.strictSame(reader.content, await contentOf('shop'))
  })

  await t.test('go on where a client stopped', async (t) => {
    const reader = await connected('shop')
    await reader.disconnect()
    await reader.connect()
    await sleep(50)
    t.strictSame(reader.events, ['whole'], 'with nothing, when nothing was missed')
    await reader.disconnect()
    await createFlag('d')
    await write('DELETE', `${base}/flags/d`)
    await write('POST', `${base}/segments`, { key: 'new', name: 'New' })
    const last = await write('PUT', `${base}/flags/a`, { name: 'twice' })
    await reader.connect()
    await waitFor(() => reader.revision === last)
    t.strictSame(reader.events, ['whole', 'change'], 'with all that was missed, at once')
    t.match(reader.changes, [{ segments: [{ key: 'new' }], deletedFlagKeys: ['d'] }])
    t.strictSame(reader.content, await contentOf('shop'))
    for (const id of ['1', '0', 'x', '99999999999999999999']) {
      const other = readerOf('shop', { 'last-event-id': id })
      await other.connect()
      await waitFor(() => other.revision === last)
      t.strictSame(other.events, ['whole'], id)
    }
  })

  await t.test('end with the token', async (t) => {
    const reader = readerOf('shop', {
      authorization: `Bearer ${await createNamespacedToken('shop')}`,
    })
    await reader.connect()
    await waitFor(() => reader.revision !== undefined)
    const { body } = await api('GET', '/auth/v1/tokens')
    const { authentications } = body as { authentications: { id: string; metadata: object }[] }
    for (const { id, metadata } of authentications) {
      if (!JSON.stringify(metadata).includes('shop-token')) continue
      t.equal((await api('DELETE', `/auth/v1/tokens/${id}`)).status, 200)
    }
    await reader.ended
    t.equal((await reader.connect()).status, 401)
  })

  await t.test('follow a namespace through its deletion and its return', async (t) => {
    const reader = await connected('other')
    t.strictSame(reader.content, { flags: [], segments: [] })
    const others = '/api/v1/namespaces/other'
    await write('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
    const flag = await write('POST', `${others}/flags`, { key: 'x', name: 'X' })
    await waitFor(() => reader.revision === flag)
    await api('DELETE', `${others}?force=true`)
    await waitFor(() => reader.content.flags.length === 0)
    t.ok((reader.revision ?? 0) > flag, 'the revision does not go back')
    await write('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
    await write('POST', `${others}/flags`, { key: 'y', name: 'Y' })
    await waitFor(() => reader.content.flags[0]?.key === 'y')
    t.strictSame(reader.faults, [])
  })

  await t.test('come with attachments of megabytes, to many clients at once', async (t) => {
    await write('POST', '/api/v1/namespaces', { key: 'large', name: 'Large' })
    const flags = '/api/v1/namespaces/large/flags'
    const attachment = JSON.stringify('\n'.repeat(400_000))
    // A busy machine may not store megabytes within the two seconds of a write.
    const put = async (key: string, body: object) => {
      let revision = Number.NaN
      await waitFor(async () => {
        const answer = await api('PUT', `${flags}/${key}`, { name: key, ...body })
        revision = revisionOf(answer)
        return answer.status === 200
      })
      return revision
    }
    let latest = 0
    for (const key of ['a', 'b', 'c']) {
      await write('POST', flags, { key, name: key })
      const { body } = await api('POST', `${flags}/${key}/variants`, { key: 'v', attachment })
      const defaultVariantId = (body as { id: string }).id
      latest = await put(key, { defaultVariantId })
    }
    const here = `large:${latest}`
    await waitFor(async () => (await get('large')).headers.get('x-svc-revision') === here)
    const readers = await Promise.all(Array.from({ length: 5 }, () => connected('large')))
    const { body } = await api('GET', `${flags}/a`)
    const { defaultVariant } = body as { defaultVariant: { id: string } }
    const revision = await put('a', { enabled: true, defaultVariantId: defaultVariant.id })
    await waitFor(() => readers.every((reader) => reader.revision === revision))
    const expected = JSON.stringify(await contentOf('large'))
    for (const { events, faults, content } of readers) {
      t.strictSame([events, faults], [['whole', 'change'], []])
      t.ok(JSON.stringify(content) === expected)
    }
  })
})
