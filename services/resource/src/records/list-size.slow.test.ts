import { Flag } from '@svc/proto/resource/v1/flags'
import { Segment } from '@svc/proto/resource/v1/segments'
import t from 'tap'
import { flags as table } from '../flags/flags.ts'
import { observed } from '../testing/observed.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { orderByNumbers } from './order.ts'
import { toPage } from './paging.ts'

const MiB = 2 ** 20
const byPosition = { queryName: '', order: orderByNumbers(['position']) }
const all = { namespaceKey: 'default', limit: 0, offset: 0, pageToken: '' }

/** Flags of 3,000,000 bytes each, but for what escaping adds; three more than a page holds. */
async function createLargeFlags({ createFlag, createVariant }: Resources, count: number) {
  const attachment = JSON.stringify('x'.repeat(999_998))
  for (let i = 0; i < count; i += 1) {
    await createFlag({ key: `f${i}`, name: 'F' })
    for (const key of ['a', 'b', 'c']) await createVariant({ flagKey: `f${i}`, key, attachment })
  }
}

t.test('a page ends before it takes more than 8 MiB', async (t) => {
  const resources = await openResources(t)
  await createLargeFlags(resources, 5)
  const pages: string[][] = []
  for (let pageToken = ''; ; ) {
    const page = await resources.listFlags({ limit: 100, pageToken })
    t.equal(page.totalCount, 5)
    pages.push(page.flags.map(({ key }) => key))
    pageToken = page.nextPageToken
    if (pageToken === '') break
  }
  t.strictSame(pages, [['f0', 'f1'], ['f2', 'f3'], ['f4']])
  const skipped = await resources.listFlags({ limit: 100, offset: 3 })
  t.strictSame(
    skipped.flags.map(({ key }) => key),
    ['f3', 'f4'],
  )
  t.equal((await resources.listFlags({})).flags.length, 5, 'without a limit it comes whole')
})

t.test('a page has one record at least, however large', async (t) => {
  const resources = await openResources(t)
  await createLargeFlags(resources, 2)
  const page = { ...toPage({ limit: 5, offset: 0, pageToken: '' }, byPosition), maxBytes: MiB }
  const { items, nextPageToken } = await table.list(resources.db, all, page)
  t.equal(items.length, 1)
  t.not(nextPageToken, '')
})

t.test('a list without a limit is refused when it is too large for one answer', async (t) => {
  const resources = await openResources(t)
  await createLargeFlags(resources, 2)
  const list = (maxBytes: number) => {
    const page = { ...toPage({ limit: 0, offset: 0, pageToken: '' }, byPosition), maxBytes }
    return table.list(resources.db, all, page)
  }
  const message = 'the list is too large for one answer; ask for pages with limit'
  const refused = { code: 'invalid_argument', reason: 'list_too_large', message }
  await t.rejects(list(5 * MiB), refused)
  await t.rejects(list(MiB), refused)
  t.equal((await list(6 * MiB)).items.length, 2)
})

t.test('what counts is the message: many small records do not fit either', async (t) => {
  const { db, listFlags: listAll } = await openResources(t)
  await db.query(`INSERT INTO resource.flags (namespace_key, key, type, name)
                  SELECT 'default', 'f' || n, 'BOOLEAN_FLAG_TYPE', 'F' FROM generate_series(1, 100) n`)
  await db.query(`UPDATE resource.flags SET held_bytes = resource.bytes_of_flag('default', key)`)
  const { flags } = await listAll({})
  t.equal(flags.length, 100)
  const page = { ...toPage({ limit: 100, offset: 0, pageToken: '' }, byPosition), maxBytes: 2000 }
  const { items } = await table.list(db, all, page)
  t.ok(items.length > 10 && items.length < 50, `${items.length} records`)
  const unlimited = { ...page, limit: 0 }
  await t.rejects(table.list(db, all, unlimited), { code: 'invalid_argument' })
})

t.test('a list that is refused is not read', async (t) => {
  const { createFlag, createVariant, db } = await openResources(t)
  for (let i = 0; i < 50; i += 1) {
    await createFlag({ key: `f${i}`, name: 'F' })
    await createVariant({ flagKey: `f${i}`, key: 'v', attachment: `"${'x'.repeat(10_000)}"` })
  }
  let bytes = 0
  const measured = observed(db, {
    onRows: (rows) => {
      bytes += JSON.stringify(rows).length
    },
  })
  const page = { ...toPage(all, byPosition), maxBytes: 400_000 }
  const refused = { code: 'invalid_argument', reason: 'list_too_large' }
  await t.rejects(table.list(measured, all, page), refused)
  t.ok(bytes < 12_000, `${bytes} bytes were read`)
})

t.test('what a row counts is a tenth of its message at least', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createVariant, createSegment, createConstraint, createNamespace } = resources
  const namespaceKey = 'n'.repeat(255)
  await createNamespace({ key: namespaceKey, name: 'N' })
  const longest = 'k'.repeat(255)
  await createFlag({
    namespaceKey,
    key: longest,
    name: 'F',
    metadata: { a: Array(20_000).fill(1) },
  })
  await createFlag({ namespaceKey, key: 'few', name: 'F', metadata: { '': [null, [], {}, 1e9] } })
  await createFlag({ namespaceKey, key: 'default', name: 'F' })
  const attachment = `"${'x'.repeat(100_000)}"`
  const variant = { namespaceKey, flagKey: 'default', key: 'v', attachment }
  const { id: defaultVariantId } = await createVariant(variant)
  await resources.updateFlag({ namespaceKey, key: 'default', name: 'F', defaultVariantId })
  for (let i = 0; i < 20; i += 1) {
    await createVariant({ namespaceKey, flagKey: longest, key: `${i}` })
  }
  await createSegment({ namespaceKey, key: longest, name: 'S' })
  const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
  for (let i = 0; i < 20; i += 1) {
    await createConstraint({ namespaceKey, segmentKey: longest, ...isTrue })
  }
  const counted = await resources.db.query<{ key: string; bytes: number }>(
    `SELECT 'flag ' || key AS key, held_bytes AS bytes FROM resource.flags
      UNION ALL SELECT 'segment ' || key, held_bytes FROM resource.segments`,
  )
  const bytesOf = new Map(counted.map(({ key, bytes }) => [key, bytes]))
  const { flags } = await resources.listFlags({ namespaceKey })
  const { segments } = await resources.listSegments({ namespaceKey })
  const encoded = [
    ...flags.map((flag) => [`flag ${flag.key}`, Flag.encode(flag).finish().length] as const),
    ...segments.map((one) => [`segment ${one.key}`, Segment.encode(one).finish().length] as const),
  ]
  t.equal(encoded.length, 4)
  for (const [key, bytes] of encoded) {
    const ratio = bytes / (bytesOf.get(key) ?? 0)
    t.ok(ratio < 6, `${key.slice(0, 20)}: ${ratio}`)
  }
})
