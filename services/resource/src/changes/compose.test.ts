import t from 'tap'
import { flagUseCases } from '../flags/flags.ts'
import { segmentUseCases } from '../segments/segments.ts'
import { noContext } from '../testing/lenient.ts'
import { readLog } from '../testing/log.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { variantUseCases } from '../variants/variants.ts'
import { commitChange, commitChanges, type Target } from './commit.ts'

const { create: createFlag, remove: deleteFlag } = flagUseCases
const { create: createSegment } = segmentUseCases
const { create: createVariant } = variantUseCases
const namespaceKey = 'default'
const target = {
  namespaceKey,
  records: [
    { kind: 'flag', key: 'f' },
    { kind: 'flag', key: 'g' },
    { kind: 'flag', key: 'missing' },
    { kind: 'segment', key: 's' },
  ],
} as const
const flag = {
  namespaceKey,
  key: 'f',
  name: 'F',
  description: '',
  enabled: true,
  type: 'VARIANT_FLAG_TYPE',
} as const
const segment = {
  namespaceKey,
  key: 's',
  name: 'S',
  description: '',
  matchType: 'ALL_MATCH_TYPE',
} as const
const variant = { namespaceKey, flagKey: 'f', key: 'v', name: '', description: '', attachment: '' }

/** Context of a call, and the trailers that it was sent. */
function openContext() {
  const trailers: string[] = []
  return {
    ...noContext,
    trailers,
    setTrailer: (name: string, value: string) => trailers.push(name + value),
  }
}

/** Everything that a change may leave: keys with their revisions, tombstones, and the size. */
async function readState({ db }: Resources) {
  const [row] = await db.query<{ state: object }>(
    `SELECT json_build_object(
       'revision', (SELECT revision FROM resource.namespaces),
       'flags', (SELECT json_object_agg(key, revision) FROM resource.flags),
       'segments', (SELECT json_object_agg(key, revision) FROM resource.segments),
       'tombstones', (SELECT json_agg(kind || ' ' || key) FROM resource.tombstones),
       'isCounted', (SELECT held_bytes FROM resource.namespaces) = coalesce(
          (SELECT sum(resource.bytes_of_flag('default', key)) FROM resource.flags), 0)
          + coalesce((SELECT sum(resource.bytes_of_segment('default', key))
                        FROM resource.segments), 0)) AS state`,
  )
  return row?.state
}

t.test('use cases in one transaction have one revision', async (t) => {
  const resources = await openResources(t)
  const context = openContext()
  await commitChange(resources.db, target, context, async (tx, change) => {
    await createFlag(tx, change, flag)
    await createVariant(tx, change, variant)
    await createSegment(tx, change, segment)
  })
  const revision = await resources.revision()
  t.strictSame(context.trailers, [`svc-revisiondefault:${revision}`])
  t.strictSame(await readState(resources), {
    revision,
    flags: { f: revision },
    segments: { s: revision },
    tombstones: null,
    isCounted: true,
  })
})

t.test('a use case knows the caller of the request', async (t) => {
  const { db } = await openResources(t)
  const caller = {
    tokenId: 'id',
    principal: 'id',
    method: 'token',
    name: 'deploys',
    namespaceKey: null,
  }
  await commitChange(db, target, { ...noContext, caller }, async (_, change) => {
    t.equal(change.caller, caller)
  })
})

t.test('use cases on several namespaces have one transaction, and a change each', async (t) => {
  const resources = await openResources(t)
  await resources.createNamespace({ key: 'a', name: 'A' })
  const context = openContext()
  const targets: Target[] = [target, { namespaceKey: 'a', records: target.records }]
  const options = { source: 'apply', comment: 'both', details: { from: 'a:1' } } as const
  const both = (key: string) =>
    commitChanges(
      resources.db,
      targets,
      context,
      async (tx, [one, other]) => {
        if (one === undefined || other === undefined) throw new Error('not both are there')
        t.strictSame([one.namespaceKey, other.namespaceKey], ['default', 'a'])
        await createFlag(tx, one, flag)
        await createFlag(tx, other, { ...flag, namespaceKey: 'a', key })
      },
      options,
    )
  await t.rejects(both('not a key'))
  t.strictSame(context.trailers, [])
  await both('g')
  const logs = await Promise.all(['default', 'a'].map((key) => readLog(resources.db, key)))
  t.match(
    logs.map((log) => log.at(-1)),
    ['f', 'g'].map((key) => ({ ...options, details: '{"from":"a:1"}', items: [{ key }] })),
  )
  t.equal(context.trailers.length, 2)
  targets.push({ namespaceKey: 'missing', records: [] })
  await t.rejects(both('g'), { message: 'namespace "missing" not found' })
})

t.test('a use case that fails takes the others with it', async (t) => {
  const resources = await openResources(t)
  const before = await readState(resources)
  const context = openContext()
  const both = commitChange(resources.db, target, context, async (tx, change) => {
    await createFlag(tx, change, flag)
    await createVariant(tx, change, { ...variant, flagKey: 'missing' })
  })
  await t.rejects(both, { code: 'not_found', message: 'flag "default/missing" not found' })
  t.strictSame(await readState(resources), before)
  t.strictSame(context.trailers, [])
})

t.test('the last use case on a key decides whether there is a tombstone', async (t) => {
  const resources = await openResources(t)
  await resources.createFlag({ key: 'f', name: 'F', description: 'a longer text' })
  const context = openContext()

  await t.test('deleted and created anew: none, whatever was there before', async (t) => {
    for (const deletedBefore of [false, true]) {
      if (deletedBefore) await resources.deleteFlag({ key: 'f' })
      await commitChange(resources.db, target, context, async (tx, change) => {
        await deleteFlag(tx, change, flag)
        await createFlag(tx, change, flag)
      })
      const revision = await resources.revision()
      t.match(await readState(resources), {
        flags: { f: revision },
        tombstones: null,
        isCounted: true,
      })
    }
  })

  await t.test('created and deleted: one', async (t) => {
    await commitChange(resources.db, target, context, async (tx, change) => {
      await createFlag(tx, change, { ...flag, key: 'g' })
      await deleteFlag(tx, change, { ...flag, key: 'g' })
    })
    t.match(await readState(resources), {
      flags: { g: undefined },
      tombstones: ['flag g'],
      isCounted: true,
    })
  })
})
