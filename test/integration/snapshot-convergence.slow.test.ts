import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { call } from '../support/http.ts'
import { inOrder, type Records, RecordsReader } from '../support/records-reader.ts'
import { SnapshotReader } from '../support/snapshot-reader.ts'
import { startStack } from '../support/stack.ts'

const changes = 250

const base = '/api/v1/namespaces/shop'
const path = (kind: string) => `/internal/v1/evaluation/${kind}/namespace/shop`
const streams = { snapshot: path('stream'), records: `${path('records')}/stream` }

const flagKeys = Array.from({ length: 12 }, (_, i) => `flag-${i}`)
const segmentKeys = Array.from({ length: 5 }, (_, i) => `segment-${i}`)

const flagKey = fc.constantFrom(...flagKeys)
const segmentKey = fc.constantFrom(...segmentKeys)
const name = fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' })
const segments = fc.uniqueArray(segmentKey, { minLength: 1, maxLength: 3 })
const type = fc.constantFrom('BOOLEAN_FLAG_TYPE', 'VARIANT_FLAG_TYPE')
const operator = fc.constantFrom('AND_SEGMENT_OPERATOR', 'OR_SEGMENT_OPERATOR')
const matchType = fc.constantFrom('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE')

type Write = readonly [method: string, path: string, body?: object]

const write = <T>(weight: number, arbitrary: fc.Arbitrary<T>, toWrite: (value: T) => Write) => ({
  weight,
  arbitrary: arbitrary.map(toWrite),
})

const rank = fc.integer({ min: 1, max: 3 })
const flagOf = fc.record({ key: flagKey, name, type, enabled: fc.boolean() })
const variantOf = fc.record({ key: fc.constantFrom('a', 'b', 'c'), name })
const segmented = fc.record({ segmentKeys: segments, segmentOperator: operator })

/** Anything that may be asked for; some of it is refused, and changes nothing. */
const writes: fc.Arbitrary<Write> = fc.oneof(
  write(4, flagOf, (body) => ['POST', '/flags', body]),
  write(4, flagOf, ({ key, name, enabled }) => ['PUT', `/flags/${key}`, { name, enabled }]),
  write(1, flagKey, (key) => ['DELETE', `/flags/${key}`]),
  write(2, fc.tuple(flagKey, variantOf), ([key, body]) => ['POST', `/flags/${key}/variants`, body]),
  write(4, fc.tuple(flagKey, segmented, rank), ([key, body, rank]) => [
    'POST',
    `/flags/${key}/rules`,
    { ...body, rank },
  ]),
  write(4, fc.tuple(flagKey, segmented, rank), ([key, body, rank]) => [
    'POST',
    `/flags/${key}/rollouts`,
    { rank, segment: { ...body, value: true } },
  ]),
  write(2, fc.tuple(flagKey, fc.integer({ min: 0, max: 100 })), ([key, percentage]) => [
    'PUT',
    `/flags/${key}/rollouts`,
    { threshold: { percentage, value: true } },
  ]),
  write(3, fc.record({ key: segmentKey, name, matchType }), (body) => ['POST', '/segments', body]),
  write(3, fc.record({ key: segmentKey, name, matchType }), ({ key, ...body }) => [
    'PUT',
    `/segments/${key}`,
    body,
  ]),
  write(1, segmentKey, (key) => ['DELETE', `/segments/${key}`]),
  write(3, fc.tuple(segmentKey, name), ([key, value]) => [
    'POST',
    `/segments/${key}/constraints`,
    { type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'eq', value },
  ]),
  write(1, name, (name) => ['PUT', '', { name }]),
)

t.test(`readers that come and go end where ${changes} changes lead`, async (t) => {
  const { urls, api, token } = await startStack(t, { gateways: 2 })
  const seed = Number(process.env.FUZZ_SEED ?? 20_261_122)
  t.comment(`FUZZ_SEED=${seed}`)
  const random = fc.sample(fc.nat(), { numRuns: 10 * changes, seed }).values()
  const below = (limit: number) => (random.next().value ?? 0) % limit
  const urlOf = (kind: keyof typeof streams) => `${urls[below(urls.length)]}${streams[kind]}`

  const create = () => api('POST', '/api/v1/namespaces', { key: 'shop', name: 'Shop' })
  await create()
  for (const key of segmentKeys) await api('POST', `${base}/segments`, { key, name: key })

  const authorization = `Bearer ${token}`
  const versions = ['1.47', '1.47', '1.47', '1.38', '1.0']
  const snapshots = versions.map((version) => {
    const headers = { authorization, 'x-svc-accept-server-version': version }
    return { version, reader: new SnapshotReader(urlOf('snapshot'), headers) }
  })
  const records = Array.from({ length: 3 }, () => ({
    reader: new RecordsReader(urlOf('records'), { authorization }),
  }))
  const readers = [
    ...snapshots.map(({ reader }) => ({ kind: 'snapshot' as const, reader })),
    ...records.map(({ reader }) => ({ kind: 'records' as const, reader })),
  ].map((one) => ({ ...one, connecting: one.reader.connect() }))
  t.teardown(async () => {
    for (const { reader, connecting } of readers) {
      await connecting
      await reader.disconnect()
    }
  })

  let done = 0
  for (const [method, at, body] of fc.sample(writes, { numRuns: changes, seed })) {
    const { status } = await api(method, base + at, body)
    if (status === 200) done++
    if (below(150) === 0) {
      await api('DELETE', `${base}?force=true`)
      await create()
    }
    const chosen = readers[below(readers.length)]
    if (chosen === undefined || below(4) > 0) continue
    await chosen.connecting
    await chosen.reader.disconnect()
    if (below(2) === 0) await sleep(below(20))
    else await api('PUT', `${base}/flags/flag-${below(12)}`, { name: 'in between' })
    // Sometimes it takes another gateway, which may be a moment behind; meanwhile changes go on.
    chosen.connecting = chosen.reader.connect(urlOf(chosen.kind))
  }
  t.ok(done > changes / 3, `${done} of them were made`)

  const last = await api('PUT', base, { name: 'The end' })
  const revision = last.headers.get('x-svc-revision') ?? ''
  const isThere = () => readers.every(({ reader }) => `shop:${reader.revision}` === revision)
  for (const deadline = Date.now() + 10_000; !isThere() && Date.now() < deadline; ) await sleep(10)

  const read = (url: string, kind: keyof typeof streams, version = '') =>
    call(url, 'GET', path(kind), undefined, {
      authorization,
      'x-svc-accept-server-version': version,
      'x-svc-min-revision': revision,
    })
  for (const url of urls) {
    for (const { version, reader } of snapshots) {
      t.strictSame(reader.snapshot, (await read(url, 'snapshot', version)).body)
    }
    const { body } = await read(url, 'records')
    const expected = inOrder(body as unknown as Records)
    for (const { reader } of records) t.strictSame(reader.content, expected)
  }
  t.strictSame(
    readers.flatMap(({ reader }) => reader.faults),
    [],
  )
  const kinds = readers.flatMap(({ reader }) => reader.events)
  const countOf = (kind: string) => kinds.filter((other) => other === kind).length
  t.comment(`${countOf('change')} changes, ${kinds.length - countOf('change')} wholes`)
  t.ok(countOf('change') > done, 'mostly by changes')
})
