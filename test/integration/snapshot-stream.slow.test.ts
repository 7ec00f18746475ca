import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { SnapshotReader } from '../support/snapshot-reader.ts'
import { startStack } from '../support/stack.ts'

const streamOf = (namespaceKey: string) =>
  `/internal/v1/evaluation/stream/namespace/${namespaceKey}`
const snapshotOf = (namespaceKey: string) =>
  `/internal/v1/evaluation/snapshot/namespace/${namespaceKey}`

const newest = { 'x-svc-accept-server-version': '1.47.0' }

t.test('the stream of a namespace', async (t) => {
  const { urls, api, token, createNamespacedToken } = await startStack(t)
  const [url] = urls
  const headers = { ...newest, authorization: `Bearer ${token}` }
  const readerOf = (namespaceKey: string, more: Readonly<Record<string, string>> = {}) => {
    const reader = new SnapshotReader(url + streamOf(namespaceKey), { ...headers, ...more })
    t.teardown(() => reader.disconnect())
    return reader
  }
  /** @returns the revision */
  const write = async (method: string, path: string, body?: object) => {
    const answer = await api(method, path, body)
    t.equal(answer.status, 200, answer.text)
    return Number(answer.headers.get('x-svc-revision')?.split(':')[1])
  }
  const snapshot = async (namespaceKey: string) =>
    (await api('GET', snapshotOf(namespaceKey), undefined, newest)).body

  const base = '/api/v1/namespaces/shop'
  const createFlag = (key: string) =>
    write('POST', `${base}/flags`, { key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
  await write('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })
  await write('POST', `${base}/segments`, { key: 'staff', name: 'Staff' })
  for (const key of ['a', 'b', 'c']) await createFlag(key)
  await write('POST', `${base}/flags/b/rollouts`, {
    rank: 1,
    segment: { segmentKey: 'staff', value: true },
  })

  await t.test('begins with a snapshot', async (t) => {
    const reader = readerOf('shop')
    const response = await reader.connect()
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'text/event-stream')
    await waitFor(() => reader.snapshot !== undefined)
    t.strictSame(reader.snapshot, await snapshot('shop'))
    t.strictSame(reader.events, ['snapshot'])
    const { headers } = await api('GET', snapshotOf('shop'))
    t.equal(headers.get('x-svc-revision'), `shop:${reader.revision}`)
  })

  await t.test('reports each change, with the flags that are different', async (t) => {
    const reader = readerOf('shop')
    const response = await fetch(url + streamOf('shop'), { headers })
    const received = collect(response)
    await reader.connect()
    await waitFor(() => reader.snapshot !== undefined)
    const from = reader.revision
    const flag = await write('PUT', `${base}/flags/a`, { name: 'A', enabled: true })
    await waitFor(() => reader.revision === flag)
    const segment = await write('PUT', `${base}/segments/staff`, {
      name: 'Staff',
      matchType: 'ANY_MATCH_TYPE',
    })
    await waitFor(() => reader.revision === segment)
    const gone = await write('DELETE', `${base}/flags/c`)
    await waitFor(() => reader.revision === gone)
    const renamed = await write('PUT', base, { name: 'The shop' })
    await waitFor(() => reader.revision === renamed)
    t.strictSame(reader.events, ['snapshot', 'change', 'change', 'change', 'change'])
    t.strictSame(reader.faults, [])
    t.strictSame(reader.snapshot, await snapshot('shop'))

    await waitFor(() => received.events().length === 5)
    const changes = received.events().slice(1)
    t.match(changes, [
      { revision: flag, fromRevision: from, flags: [{ key: 'a', name: 'A' }], deletedFlagKeys: [] },
      { revision: segment, fromRevision: flag, flags: [{ key: 'b' }], deletedFlagKeys: [] },
      { revision: gone, fromRevision: segment, flags: [], deletedFlagKeys: ['c'] },
      { revision: renamed, fromRevision: gone, flags: [], deletedFlagKeys: [] },
    ])
    t.match(changes[1], {
      flags: [{ rollouts: [{ segment: { segments: [{ matchType: 'ANY_SEGMENT_MATCH_TYPE' }] } }] }],
    })
    t.strictSame(Object.keys(changes[0] ?? {}), [
      'revision',
      'fromRevision',
      'flags',
      'deletedFlagKeys',
    ])
    received.close()
    await createFlag('c')
  })

  await t.test('resumes for a client that reconnects', async (t) => {
    const reader = readerOf('shop')
    await reader.connect()
    await waitFor(() => reader.snapshot !== undefined)
    await reader.disconnect()
    await reader.connect()
    await sleep(50)
    t.strictSame(reader.events, ['snapshot'], 'with nothing, when nothing was missed')
    await reader.disconnect()
    await write('PUT', `${base}/flags/a`, { name: 'once' })
    await createFlag('d')
    await write('PUT', `${base}/flags/a`, { name: 'twice' })
    const last = await write('DELETE', `${base}/flags/d`)
    await reader.connect()
    await waitFor(() => reader.revision === last)
    t.strictSame(reader.events, ['snapshot', 'change'], 'with all that was missed, at once')
    t.strictSame(reader.snapshot, await snapshot('shop'))
    t.strictSame(reader.faults, [])
  })

  await t.test(
    'begins anew for a client that was disconnected for too long, or sends an unknown id',
    async (t) => {
      const revision = await write('PUT', `${base}/flags/a`, { name: 'now' })
      for (const id of ['1', '0', 'x', '-1', '1e3', '', '99999999999999999999']) {
        const reader = readerOf('shop', { 'last-event-id': id })
        await reader.connect()
        await waitFor(() => reader.revision === revision)
        t.strictSame(reader.events, ['snapshot'], id)
      }
    },
  )

  await t.test('waits for what another gateway has sent already', async (t) => {
    const reader = readerOf('shop')
    await reader.connect()
    await waitFor(() => reader.revision !== undefined)
    const expected = (reader.revision ?? 0) + 1
    const next = readerOf('shop', { 'last-event-id': String(expected) })
    const connecting = next.connect()
    await sleep(50)
    const revision = await write('PUT', `${base}/flags/a`, { name: 'next' })
    t.equal(revision, expected)
    t.equal((await connecting).status, 200)
    await sleep(50)
    t.strictSame(next.events, [], 'it has it already')
  })

  await t.test('sends all when there is no such revision', async (t) => {
    const reader = readerOf('shop', { 'last-event-id': '99999999' })
    await reader.connect()
    await waitFor(() => reader.snapshot !== undefined)
    t.strictSame(reader.snapshot, await snapshot('shop'))
  })

  await t.test('has the form that the client understands', async (t) => {
    const { 'x-svc-accept-server-version': _, ...earliest } = headers
    const reader = new SnapshotReader(url + streamOf('shop'), earliest)
    t.teardown(() => reader.disconnect())
    await write('POST', `${base}/segments/staff/constraints`, {
      type: 'ENTITY_ID_COMPARISON_TYPE',
      property: 'entityId',
      operator: 'eq',
      value: 'a',
    })
    await reader.connect()
    await waitFor(() => reader.snapshot !== undefined)
    t.match(JSON.stringify(reader.snapshot), 'UNKNOWN_CONSTRAINT_COMPARISON_TYPE')
    const revision = await write('PUT', `${base}/segments/staff`, { name: 'Staff' })
    await waitFor(() => reader.revision === revision)
    t.match(JSON.stringify(reader.snapshot), 'UNKNOWN_CONSTRAINT_COMPARISON_TYPE')
    t.match(JSON.stringify(await snapshot('shop')), 'ENTITY_ID_CONSTRAINT_COMPARISON_TYPE')
  })

  /** Deletes the token that is bound to the namespace. */
  const revoke = async () => {
    const { body } = await api('GET', '/auth/v1/tokens')
    const { authentications } = body as { authentications: { id: string; metadata: object }[] }
    const own = authentications.find(({ metadata }) =>
      JSON.stringify(metadata).includes('shop-token'),
    )
    t.equal((await api('DELETE', `/auth/v1/tokens/${own?.id}`)).status, 200)
  }

  await t.test('ends when the token does', async (t) => {
    const bound = { authorization: `Bearer ${await createNamespacedToken('shop')}` }
    const reader = readerOf('shop', bound)
    await reader.connect()
    await waitFor(() => reader.snapshot !== undefined)
    t.equal((await readerOf('default', bound).connect()).status, 403)
    t.equal((await readerOf('shop', { authorization: 'Bearer x' }).connect()).status, 401)
    await revoke()
    await reader.ended
    t.equal((await reader.connect()).status, 401)
  })

  await t.test('does not begin any more when the token ends before it does', async (t) => {
    const authorization = `Bearer ${await createNamespacedToken('shop')}`
    // Which will not come: for half a second the gateway waits for it.
    const reader = readerOf('shop', { authorization, 'last-event-id': '999999999' })
    const [response] = await Promise.all([reader.connect(), sleep(50).then(revoke)])
    t.equal(response.status, 401)
  })

  await t.test('follows a namespace through its deletion and its return', async (t) => {
    const reader = readerOf('other')
    await reader.connect()
    await waitFor(() => reader.snapshot !== undefined)
    t.strictSame(reader.snapshot, { namespace: { key: 'other' }, flags: [] })
    const others = '/api/v1/namespaces/other'
    await write('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
    const flag = await write('POST', `${others}/flags`, { key: 'x', name: 'X' })
    await waitFor(() => reader.revision === flag)
    const before = reader.revision ?? 0
    await api('DELETE', `${others}?force=true`)
    await waitFor(() => reader.snapshot?.flags.length === 0)
    t.ok((reader.revision ?? 0) > before, 'the revision does not go back')
    await reader.disconnect()
    await reader.connect()
    await sleep(50)
    const sent = reader.events.length
    await write('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
    await write('POST', `${others}/flags`, { key: 'y', name: 'Y' })
    await waitFor(() => reader.snapshot?.flags[0]?.key === 'y')
    t.equal(reader.events[sent], 'snapshot')
    t.strictSame(reader.faults, [])
  })

  await t.test('sends a large namespace, and large changes', async (t) => {
    await write('POST', '/api/v1/namespaces', { key: 'large', name: 'Large' })
    const flags = '/api/v1/namespaces/large/flags'
    const attachment = JSON.stringify('x'.repeat(900_000))
    const defaults = new Map<string, string>()
    for (const key of ['a', 'b', 'c']) {
      await write('POST', flags, { key, name: key })
      const { body } = await api('POST', `${flags}/${key}/variants`, { key: 'v', attachment })
      const defaultVariantId = (body as { id: string }).id
      await write('PUT', `${flags}/${key}`, { name: key, defaultVariantId })
      defaults.set(key, defaultVariantId)
    }
    const readers = [readerOf('large'), readerOf('large')]
    for (const reader of readers) await reader.connect()
    await waitFor(() => readers.every(({ snapshot }) => snapshot !== undefined))
    let revision = 0
    for (const [key, defaultVariantId] of defaults) {
      revision = await write('PUT', `${flags}/${key}`, { name: 'new', defaultVariantId })
    }
    await waitFor(() => readers.every((reader) => reader.revision === revision))
    const expected = await snapshot('large')
    for (const reader of readers) {
      t.strictSame(reader.faults, [])
      t.ok(JSON.stringify(reader.snapshot) === JSON.stringify(expected))
    }
  })

  await t.test('has one event for each client', async (t) => {
    const readers = Array.from({ length: 50 }, () => readerOf('shop'))
    for (const reader of readers) await reader.connect()
    await waitFor(() => readers.every(({ snapshot }) => snapshot !== undefined))
    const revision = await write('PUT', `${base}/flags/a`, { name: 'for all' })
    await waitFor(() => readers.every((reader) => reader.revision === revision))
    for (const { events, faults } of readers) {
      t.strictSame([events, faults], [['snapshot', 'change'], []])
    }
  })
})

/** The data of all events of an answer. */
function collect(response: Response) {
  const leaving = new AbortController()
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      if (leaving.signal.aborted) return
      text += decoder.decode(chunk, { stream: true })
    }
  }
  void read()
  return {
    events: () =>
      [...text.matchAll(/^data: (.*)$/gm)].map(
        ([, data]) => JSON.parse(String(data)) as Record<string, unknown>,
      ),
    close: () => leaving.abort(),
  }
}
