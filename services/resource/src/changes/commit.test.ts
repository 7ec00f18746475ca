import { setTimeout as sleep } from 'node:timers/promises'
import { isLockTimeout } from '@svc/database'
import t from 'tap'
import { noContext } from '../testing/lenient.ts'
import { persist } from '../testing/persistence.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { sizesOf } from '../testing/sizes.ts'
import { commitChange } from './commit.ts'
import { lockNamespace } from './stamp.store.ts'

const settings = { kind: 'namespace', key: 'default' } as const
const target = { namespaceKey: 'default', records: [settings] }

async function readStamps({ db, revision }: Resources) {
  const read = async (table: string) => {
    const rows = await db.query<{ key: string; revision: number }>(
      `SELECT key, revision FROM resource.${table} WHERE namespace_key = 'default'`,
    )
    return Object.fromEntries(rows.map(({ key, revision }) => [key, revision]))
  }
  const namespace = (await revision()) ?? 0
  return { namespace, flags: await read('flags'), segments: await read('segments') }
}

t.test('a change stamps what it touched, and nothing else', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createSegment, createVariant, createRule, createRollout } = resources
  for (const key of ['f', 'g']) await createFlag({ key, name: key })
  for (const key of ['s', 'r']) await createSegment({ key, name: key })
  const variant = await createVariant({ flagKey: 'f', key: 'v' })
  const rule = await createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
  const other = await createRule({ flagKey: 'f', segmentKey: 's', rank: 2 })
  const [ruleId, variantId] = [rule.id, variant.id]
  const share = { flagKey: 'f', ruleId, variantId, rollout: 50 }
  const distribution = await resources.createDistribution(share)
  const rollout = await createRollout({ flagKey: 'f', rank: 1, threshold: {} })
  const second = await createRollout({ flagKey: 'f', rank: 2, threshold: {} })
  const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
  const constraint = await resources.createConstraint({ segmentKey: 's', ...isTrue })

  const changes = {
    updateFlag: () =>
      resources.updateFlag({ key: 'f', name: 'F', description: 'long', metadata: { team: 'a' } }),
    createVariant: () => createVariant({ flagKey: 'f', key: 'w' }),
    updateVariant: () =>
      resources.updateVariant({ flagKey: 'f', id: variantId, attachment: '[1]' }),
    createRule: () => createRule({ flagKey: 'f', segmentKey: 'r', rank: 3 }),
    updateRule: () => resources.updateRule({ flagKey: 'f', id: ruleId, segmentKey: 'r' }),
    createDistribution: () => resources.createDistribution(share),
    updateDistribution: () => resources.updateDistribution({ ...share, id: distribution.id }),
    deleteDistribution: () => resources.deleteDistribution({ ...share, id: distribution.id }),
    createRollout: () => createRollout({ flagKey: 'f', rank: 3, segment: { segmentKey: 's' } }),
    updateRollout: () =>
      resources.updateRollout({ flagKey: 'f', id: rollout.id, threshold: { percentage: 1 } }),
    deleteRule: () => resources.deleteRule({ flagKey: 'f', id: other.id }),
    deleteRollout: () => resources.deleteRollout({ flagKey: 'f', id: second.id }),
    deleteVariant: () => resources.deleteVariant({ flagKey: 'f', id: variantId }),
    'updateRollout without an id': () =>
      resources.updateRollout({ flagKey: 'f', threshold: { percentage: 2 } }),
    async orderRules() {
      const { rules } = await resources.listRules({ flagKey: 'f' })
      const ruleIds = rules.map(({ id }) => id).reverse()
      await resources.orderRules({ flagKey: 'f', ruleIds })
    },
    async orderRollouts() {
      const { rules } = await resources.listRollouts({ flagKey: 'f' })
      const rolloutIds = rules.map(({ id }) => id).reverse()
      await resources.orderRollouts({ flagKey: 'f', rolloutIds })
    },
    updateSegment: () => resources.updateSegment({ key: 's', name: 'S', description: 'long' }),
    createConstraint: () => resources.createConstraint({ segmentKey: 's', ...isTrue }),
    updateConstraint: () =>
      resources.updateConstraint({
        segmentKey: 's',
        id: constraint.id,
        ...isTrue,
        property: 'long',
      }),
    deleteConstraint: () => resources.deleteConstraint({ segmentKey: 's', id: constraint.id }),
  }
  for (const [name, change] of Object.entries(changes)) {
    await t.test(name, async (t) => {
      const { flags, segments, ...before } = await readStamps(resources)
      await change()
      const after = await readStamps(resources)
      t.ok(after.namespace > before.namespace)
      const isOfSegment = /Segment|Constraint/.test(name)
      const touched = isOfSegment ? { s: after.namespace } : {}
      t.strictSame(after.segments, { ...segments, ...touched })
      t.strictSame(after.flags, isOfSegment ? flags : { ...flags, f: after.namespace })
      const { counted, actual } = await sizesOf(resources.db)
      t.equal(counted, actual)
    })
  }
})

t.test('of many who ask for the same at once, one wins', async (t) => {
  const { createNamespace, createFlag, createRollout } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  const cases: [message: string, create: () => Promise<unknown>][] = [
    ['namespace "race" is not unique', () => createNamespace({ key: 'race', name: 'Race' })],
    ['flag "default/race" is not unique', () => createFlag({ key: 'race', name: 'Race' })],
    [
      'rank number: 7 already exists',
      () => createRollout({ flagKey: 'f', rank: 7, threshold: {} }),
    ],
  ]
  for (const [message, create] of cases) {
    const results = await Promise.allSettled(Array.from({ length: 10 }, create))
    const lost = results.filter((result) => result.status === 'rejected')
    t.strictSame(
      lost.map(({ reason }) => reason.message),
      Array(9).fill(message),
    )
  }
})

t.test('tombstones', async (t) => {
  const resources = await openResources(t)
  const { createFlag, deleteFlag, createSegment, deleteSegment, db } = resources
  const tombstones = () =>
    db.query('SELECT kind, key, revision FROM resource.tombstones ORDER BY kind, key')

  await t.test('mark what was deleted, with the revision of the deletion', async (t) => {
    await createFlag({ key: 'a', name: 'A' })
    await createSegment({ key: 'a', name: 'A' })
    await deleteFlag({ key: 'a' })
    const flag = { kind: 'flag', key: 'a', revision: await resources.revision() }
    await deleteSegment({ key: 'a' })
    const segment = { kind: 'segment', key: 'a', revision: await resources.revision() }
    t.strictSame(await tombstones(), [flag, segment])
  })

  await t.test('go when a thing of the same kind and key is made anew', async (t) => {
    await createFlag({ key: 'a', name: 'A' })
    t.match(await tombstones(), [{ kind: 'segment', key: 'a' }])
  })

  await t.test('of a namespace replace those of what was in it', async (t) => {
    await resources.createNamespace({ key: 'n', name: 'N' })
    await createFlag({ namespaceKey: 'n', key: 'f', name: 'F' })
    await deleteFlag({ namespaceKey: 'n', key: 'f' })
    await resources.deleteNamespace({ key: 'n' })
    const rows = await db.query(
      `SELECT kind, key FROM resource.tombstones WHERE namespace_key = 'n'`,
    )
    t.strictSame(rows, [{ kind: 'namespace', key: 'n' }])
  })
})

t.test(
  '200 writers at once get revisions of their own, in the order of their commits',
  async (t) => {
    const { createFlag, createNamespace, db } = await openResources(t)
    await createNamespace({ key: 'other', name: 'Other' })
    const revisions: Record<string, number[]> = { default: [], other: [] }
    const context = {
      ...noContext,
      setTrailer(_: string, value: string) {
        const [namespaceKey = '', revision] = value.split(':')
        revisions[namespaceKey]?.push(Number(revision))
      },
    }
    const writers = Array.from({ length: 200 }, (_, i) => {
      const namespaceKey = i % 4 === 0 ? 'other' : 'default'
      return persist(() => createFlag({ namespaceKey, key: `f${i}`, name: 'F' }, context))
    })
    await Promise.all(writers)
    const all = Object.values(revisions).flat()
    t.equal(new Set(all).size, 200)
    for (const [namespaceKey, taken] of Object.entries(revisions)) {
      // Rows are numbered as they are inserted, which only the holder of the namespace does.
      const rows = await db.query<{ revision: number }>(
        'SELECT revision FROM resource.flags WHERE namespace_key = $1 ORDER BY position',
        [namespaceKey],
      )
      t.strictSame(
        rows.map(({ revision }) => revision),
        taken.toSorted((a, b) => a - b),
      )
    }
  },
)

t.test('commitChange', async (t) => {
  const { db, revision } = await openResources(t)
  const trailers: string[] = []
  const context = {
    ...noContext,
    setTrailer: (name: string, value: string) => trailers.push(`${name}=${value}`),
  }

  await t.test('answers with the revision when it has been committed', async (t) => {
    await commitChange(db, target, context, async (_, change) => {
      change.changed(settings)
      t.strictSame(trailers, [])
    })
    const tag = `default:${await revision()}`
    t.strictSame(trailers, [`svc-revision=${tag}`, `svc-etag="${tag}"`])
  })

  await t.test('leaves the revision alone when nothing was changed', async (t) => {
    const before = await revision()
    trailers.length = 0
    t.equal(await commitChange(db, target, context, async () => 'nothing'), 'nothing')
    t.equal(await revision(), before)
    t.strictSame(trailers, [`svc-etag="default:${before}"`])
  })

  await t.test('leaves everything alone when the write fails', async (t) => {
    const before = await revision()
    const failing = commitChange(db, target, context, async (tx, change) => {
      await tx.query("UPDATE resource.namespaces SET name = 'Half' WHERE key = 'default'")
      change.changed(settings)
      throw new Error('no')
    })
    await t.rejects(failing, { message: 'no' })
    const [row] = await db.query<{ name: string }>('SELECT name FROM resource.namespaces')
    t.equal(row?.name, 'Default')
    t.equal(await revision(), before)
  })
})

t.test('a write waits for another replica, and has its usual limits after it', async (t) => {
  const { db } = await openResources(t)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await lockNamespace(tx, 'default')
    lock()
    await released
  })
  await locked
  const limits = commitChange(db, target, noContext, (tx) =>
    tx.query(`SELECT current_setting('lock_timeout') AS lock,
                     current_setting('statement_timeout') AS statement`),
  )
  // Longer than a statement may take, and than the driver waits for one.
  await sleep(3000)
  release()
  await holder
  t.strictSame(await limits, [{ lock: '1s', statement: '2s' }])
})

t.test('a wait for another replica that was in vain says what to do', async (t) => {
  const { db } = await openResources(t)
  await db.transaction(async (tx) => {
    await lockNamespace(tx, 'default')
    const waiting = db.transaction((other) => lockNamespace(other, 'default', 20))
    const error = await waiting.catch((error: unknown) => error)
    t.ok(isLockTimeout(error))
    t.match(error, { code: 'unavailable' })
  })
  t.strictSame(await db.query('SELECT 1 AS n'), [{ n: 1 }], 'and costs no connection')
})

t.test('a namespace that is deleted while it is made anew never goes back', async (t) => {
  const { createNamespace, deleteNamespace, db } = await openResources(t)
  await createNamespace({ key: 'n', name: 'N' })
  for (let round = 0; round < 20; round += 1) {
    const made = createNamespace({ key: 'n', name: 'N' })
    await Promise.all([deleteNamespace({ key: 'n' }), made.catch(() => {})])
    await createNamespace({ key: 'n', name: 'N' }).catch(() => {})
    const [row] = await db.query<{ isLater: boolean }>(
      `SELECT n.created_revision > t.revision AS "isLater"
         FROM resource.namespaces AS n
         JOIN resource.tombstones AS t ON t.namespace_key = n.key
        WHERE n.key = 'n' AND t.kind = 'namespace'`,
    )
    t.equal(row?.isLater, true)
  }
})
