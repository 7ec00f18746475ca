import { cp, readdir, rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { migrate, openDatabase } from '@svc/database'
import { createTestDatabase } from '@svc/database/testing'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { migrations, schema } from '../schema.ts'
import { handlersOn, openResources } from '../testing/resources.ts'
import { sizesOf } from '../testing/sizes.ts'
import { limitNamespaces } from './size-limits.ts'

const MiB = 2 ** 20
const attachment = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

const full = {
  code: 'resource_exhausted',
  reason: 'namespace_full',
  message:
    'namespace "default" is full: with all that is in it, it may take 2 MiB; ' +
    'delete or shrink something in it, or raise resource.max_namespace_mib',
}

t.test('a namespace takes as much as it may, with everything in it, and not more', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createVariant, updateVariant, deleteVariant, revision, db } = resources
  limitNamespaces(db, 2 * MiB)
  for (const key of ['f', 'g', 'h']) await createFlag({ key, name: key })
  const first = await createVariant({ flagKey: 'f', key: 'a', attachment: attachment(1_000_000) })
  await createVariant({ flagKey: 'g', key: 'b', attachment: attachment(1_000_000) })
  const before = await revision()

  await t.test('when something is added', async (t) => {
    const large = { flagKey: 'h', key: 'c', attachment: attachment(100_000) }
    await t.rejects(createVariant(large), full)
  })

  await t.test('when something grows', async (t) => {
    const grown = { flagKey: 'f', id: first.id, attachment: attachment(1_024_000) }
    await t.resolves(updateVariant(grown), 'within the limit')
    const more = { key: 'g', name: 'G'.repeat(100), description: 'd'.repeat(8000) }
    await t.resolves(resources.updateFlag(more), 'within the limit')
    const constraint = { type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'eq' } as const
    await resources.createSegment({ key: 's', name: 'S' })
    const { id } = await resources.createConstraint({ segmentKey: 's', ...constraint, value: 'v' })
    const larger = { segmentKey: 's', id, ...constraint, value: 'v'.repeat(100_000) }
    await t.rejects(resources.updateConstraint(larger), full)
  })

  await t.test('and is as it was after a refusal', async (t) => {
    const now = await revision()
    const values = await db.query('SELECT value FROM resource.constraints')
    t.strictSame(values, [{ value: 'v' }])
    const large = { flagKey: 'h', key: 'c', attachment: attachment(100_000) }
    await t.rejects(createVariant(large), full)
    t.equal(await revision(), now)
    t.not(now, before)
  })

  await t.test('while another namespace has room', async (t) => {
    await resources.createNamespace({ key: 'other', name: 'Other' })
    await createFlag({ namespaceKey: 'other', key: 'f', name: 'F' })
    const large = { namespaceKey: 'other', flagKey: 'f', key: 'v', attachment: attachment(500_000) }
    t.equal((await createVariant(large)).key, 'v')
  })

  await t.test('and has room again for what was deleted', async (t) => {
    await deleteVariant({ flagKey: 'f', id: first.id })
    await createVariant({ flagKey: 'h', key: 'c', attachment: attachment(900_000) })
    await resources.deleteFlag({ key: 'h' })
    await createVariant({ flagKey: 'f', key: 'd', attachment: attachment(900_000) })
    await resources.deleteSegment({ key: 's' })
    const { counted, actual } = await sizesOf(db)
    t.equal(counted, actual)
  })
})

t.test('a namespace that holds more than it may still serves, and may shrink', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createVariant, updateFlag, updateVariant, db } = resources
  await createFlag({ key: 'f', name: 'a long name' })
  await createFlag({ key: 'g', name: 'G' })
  const variants = []
  for (const key of ['a', 'b', 'c', 'd']) {
    variants.push(await createVariant({ flagKey: 'f', key, attachment: attachment(1_000_000) }))
  }
  limitNamespaces(db, 2 * MiB)
  t.equal((await resources.getFlag({ key: 'f' })).variants.length, 4)
  await t.rejects(createFlag({ key: 'h', name: 'H' }), full)
  await t.resolves(updateFlag({ key: 'f', name: 'a long name', enabled: true }), 'switched on')
  await t.resolves(updateFlag({ key: 'f', name: 'short' }))
  await t.resolves(updateVariant({ flagKey: 'f', id: variants[0]?.id, attachment: attachment(9) }))
  await t.resolves(resources.deleteFlag({ key: 'g' }))
  await t.rejects(createFlag({ key: 'h', name: 'H' }), full, 'it is still above')
  await t.resolves(resources.deleteVariant({ flagKey: 'f', id: variants[1]?.id }))
  await t.resolves(createFlag({ key: 'h', name: 'H' }))
})

t.test('a count that is too high is corrected before a change is refused', async (t) => {
  const { createFlag, db } = await openResources(t)
  limitNamespaces(db, 2 * MiB)
  await db.query(`UPDATE resource.namespaces SET held_bytes = 3000000 WHERE key = 'default'`)
  await createFlag({ key: 'f', name: 'F' })
  const { counted, actual } = await sizesOf(db)
  t.equal(counted, actual)
})

t.test('writers in two replicas together do not go past it', async (t) => {
  const { db, createFlag } = await openResources(t)
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const replicas = [1, 2].map((n) => {
    const replica = openDatabase(db.url, { name: `replica ${n}`, maxConnections: 5, log })
    t.teardown(() => replica.close())
    limitNamespaces(replica, 2 * MiB)
    return handlersOn(replica)
  })
  for (let i = 0; i < 8; i++) await createFlag({ key: `f${i}`, name: 'F' })
  // Two at a time in each replica, so that none waits too long for its turn on a slow machine.
  const wanted = Array.from({ length: 24 }, (_, i) => i)
  const refusals: unknown[] = []
  const write = async (replica: (typeof replicas)[number]) => {
    for (let i = wanted.pop(); i !== undefined; i = wanted.pop()) {
      const variant = { flagKey: `f${i % 8}`, key: `v${i}`, attachment: attachment(200_000) }
      await replica.createVariant(variant).catch((error: unknown) => refusals.push(error))
    }
  }
  await Promise.all([...replicas, ...replicas].map(write))
  const { counted, actual } = await sizesOf(db)
  t.equal(counted, actual)
  t.ok(actual <= 2 * MiB, `${actual} bytes`)
  t.equal(refusals.length, 14)
  for (const refusal of refusals) t.match(refusal, full)
})

t.test('the migration counts what is there already', async (t) => {
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const db = await createTestDatabase(t)
  const before = t.testdir({})
  await cp(migrations, before, { recursive: true })
  for (const name of await readdir(before)) if (name >= '0007') await rm(`${before}/${name}`)
  await migrate(db.url, schema, pathToFileURL(`${before}/`), { log })
  await db.query(
    `INSERT INTO resource.flags (namespace_key, key, type, name, metadata)
     SELECT 'default', 'f' || n, 'VARIANT_FLAG_TYPE', 'F', '{"team":"a"}'
       FROM generate_series(1, 3) AS n`,
  )
  await db.query(
    `INSERT INTO resource.variants (namespace_key, flag_key, key, attachment)
     SELECT 'default', 'f2', 'v' || n, '"attached"' FROM generate_series(1, 3) AS n`,
  )
  await db.query(
    `INSERT INTO resource.segments (namespace_key, key, name, match_type)
     VALUES ('default', 's', 'S', 'ALL_MATCH_TYPE'), ('default', 'r', 'R', 'ALL_MATCH_TYPE')`,
  )
  await db.query(
    `INSERT INTO resource.constraints (namespace_key, segment_key, type, property, operator, value)
     VALUES ('default', 's', 'STRING_COMPARISON_TYPE', 'p', 'eq', 'v')`,
  )
  await migrate(db.url, schema, migrations, { log })
  const { counted, actual } = await sizesOf(db)
  t.ok(actual > 0)
  t.equal(counted, actual)
  await handlersOn(db).deleteFlag({ key: 'f2' })
  const after = await sizesOf(db)
  t.equal(after.counted, after.actual)
})

t.test('long keys count in every record, for its message repeats them', async (t) => {
  const { createNamespace, createFlag, createVariant, createSegment, db } = await openResources(t)
  const long = 'k'.repeat(255)
  await createNamespace({ key: long, name: 'N' })
  for (const [namespaceKey, key] of [
    ['default', 'f'],
    [long, long],
  ] as const) {
    await createFlag({ namespaceKey, key, name: 'F' })
    await createVariant({ namespaceKey, flagKey: key, key: 'v' })
    await createSegment({ namespaceKey, key, name: 'S' })
  }
  t.equal((await sizesOf(db)).counted, 128 + 2 + 128 + 1 + 128 + 2)
  const record = 128 + 255 + 255 - 64
  t.equal((await sizesOf(db, long)).counted, record + 256 + record + 1 + record + 256)
})
