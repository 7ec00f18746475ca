import { FlagState } from '@svc/proto/resource/v1/watch'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { Copy, readEverything } from '../testing/copy.ts'
import { openResources } from '../testing/resources.ts'
import { openWatched, serveWatch, type Watched } from '../testing/watching.ts'

/** Watches with what `copy` holds it is in step; @returns what was sent. */
async function catchUp({ watch, isHeard }: Watched, copy: Copy) {
  const before = copy.changes.length
  await isHeard()
  const leave = watch(copy)
  await waitFor(() => copy.isSynced)
  await leave()
  return copy.changes.slice(before)
}

t.test('a watcher that holds nothing', async (t) => {
  const resources = await openWatched(t)
  const { createFlag, createSegment, createVariant, createRule, createNamespace } = resources
  await createNamespace({ key: 'empty', name: 'Empty' })
  await createFlag({ key: 'f', name: 'F', metadata: { a: 1 } })
  await createSegment({ key: 's', name: 'S' })
  const variant = await createVariant({ flagKey: 'f', key: 'v', attachment: '{"a":1.10}' })
  await resources.updateFlag({ key: 'f', name: 'F', defaultVariantId: variant.id })
  const rule = await createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
  const share = { flagKey: 'f', ruleId: rule.id, variantId: variant.id, rollout: 33.5 }
  await resources.createDistribution(share)
  const threshold = { percentage: 12.5, value: true }
  await resources.createRollout({ flagKey: 'f', rank: 1, threshold })
  const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
  await resources.createConstraint({ segmentKey: 's', ...isTrue })
  const copy = new Copy()
  const changes = await catchUp(resources, copy)

  await t.test('is sent every namespace whole, and then that it is in step', async (t) => {
    t.strictSame(copy.content, await readEverything(resources))
    t.ok(changes.every(({ fromRevision }) => fromRevision === 0))
    t.strictSame(copy.responses.at(-1)?.synced, {})
  })

  await t.test('is sent nothing when it reconnects and nothing has changed', async (t) => {
    t.strictSame(await catchUp(resources, copy), [])
  })
})

t.test('a watcher that stays', async (t) => {
  const resources = await openWatched(t)
  const { createFlag, createSegment, createVariant, createNamespace } = resources
  await createFlag({ key: 'f', name: 'F' })
  await createSegment({ key: 's', name: 'S' })
  await resources.isHeard()
  const copy = new Copy()
  const leave = resources.watch(copy)
  await waitFor(() => copy.isSynced)
  const inStep = async (namespaceKey = 'default') => {
    const revision = await resources.revision(namespaceKey)
    await waitFor(() => copy.namespaces.get(namespaceKey)?.revision === revision)
    t.strictSame(copy.content, await readEverything(resources))
  }

  await t.test('is sent the flag when something in it changes, and nothing else', async (t) => {
    const before = copy.namespaces.get('default')?.revision
    await createVariant({ flagKey: 'f', key: 'v' })
    await inStep()
    const [change] = copy.changes.slice(-1)
    t.match(change, { fromRevision: before, segments: [] })
    t.strictSame(
      change?.flags.map((encoded) => FlagState.decode(encoded).flag?.key),
      ['f'],
    )
    t.equal(change?.segments.length, 0)
  })

  await t.test('is told how long ago it was stamped, whichever release wrote it', async (t) => {
    await createVariant({ flagKey: 'f', key: 'w' })
    await inStep()
    const sentAt = copy.changes.at(-1)?.committedMsAgo ?? -1
    t.ok(sentAt >= 0 && sentAt < 30_000, `${sentAt} ms`)
    // As the release before stamps.
    await resources.db.query(
      `UPDATE resource.namespaces SET changed_at = now() - interval '1 hour' WHERE key = 'default'`,
    )
    await resources.db.query(
      `UPDATE resource.namespaces SET revision = nextval('resource.revisions') WHERE key = 'default'`,
    )
    await inStep()
    const later = copy.changes.at(-1)?.committedMsAgo ?? -1
    t.ok(later >= 0 && later < 30_000, `${later} ms`)
  })

  await t.test('is sent what was deleted', async (t) => {
    await resources.deleteFlag({ key: 'f' })
    await inStep()
    t.match(copy.changes.at(-1), { deletedFlagKeys: ['f'], flags: [] })
    await resources.deleteSegment({ key: 's' })
    await inStep()
    t.match(copy.changes.at(-1), { deletedSegmentKeys: ['s'] })
  })

  await t.test('is sent a new namespace, and its deletion', async (t) => {
    await createNamespace({ key: 'n', name: 'N' })
    await inStep('n')
    await createFlag({ namespaceKey: 'n', key: 'f', name: 'F' })
    await inStep('n')
    await resources.deleteNamespace({ key: 'n', force: true })
    await waitFor(() => !copy.namespaces.has('n'))
    const [tombstone] = await resources.db.query<{ revision: number }>(
      `SELECT revision FROM resource.tombstones WHERE namespace_key = 'n'`,
    )
    t.match(copy.changes.at(-1), { deleted: true, revision: tombstone?.revision })
  })

  await t.test('is sent an earlier state when a backup has brought it back', async (t) => {
    await createFlag({ key: 'new', name: 'New' })
    await inStep()
    await resources.db.query(
      `WITH flags AS (DELETE FROM resource.flags WHERE key = 'new')
       UPDATE resource.namespaces SET revision = created_revision`,
    )
    await inStep()
    t.match(copy.changes.at(-1), { fromRevision: 0 })
  })

  await t.test('is sent a change without a notification within the second or so', async (t) => {
    await resources.db.query(
      `WITH next AS (SELECT nextval('resource.revisions') AS revision),
       flag AS (INSERT INTO resource.flags (namespace_key, key, type, name, revision)
                SELECT 'default', 'quiet', 'BOOLEAN_FLAG_TYPE', 'Quiet', revision FROM next)
       UPDATE resource.namespaces SET revision = next.revision FROM next WHERE key = 'default'`,
    )
    const startedAt = performance.now()
    await waitFor(() => copy.namespaces.get('default')?.flags.has('quiet') === true)
    t.ok(performance.now() - startedAt < 5000)
  })

  await leave()
})

t.test('a watcher is sent a sign of life again and again', async (t) => {
  const resources = await openWatched(t, 20)
  const copy = new Copy()
  const leave = resources.watch(copy)
  const heartbeats = () => copy.responses.filter(({ heartbeat }) => heartbeat !== undefined)
  await waitFor(() => heartbeats().length > 5)
  await leave()
})

t.test('a watcher that reconnects is sent what has changed since', async (t) => {
  const resources = await openWatched(t)
  const { createFlag, deleteFlag, createNamespace, deleteNamespace } = resources
  for (const key of ['a', 'b', 'c']) await createFlag({ key, name: key })
  const copy = new Copy()
  await catchUp(resources, copy)

  await t.test('and no more than that', async (t) => {
    await resources.updateFlag({ key: 'b', name: 'B' })
    await deleteFlag({ key: 'c' })
    await createFlag({ key: 'd', name: 'D' })
    const [change, ...rest] = await catchUp(resources, copy)
    t.strictSame(rest, [])
    t.strictSame(change?.flags.map((encoded) => FlagState.decode(encoded).flag?.key).sort(), [
      'b',
      'd',
    ])
    t.strictSame(change?.deletedFlagKeys, ['c'])
    t.strictSame(copy.content, await readEverything(resources))
  })

  await t.test('and not that a flag was deleted which is there again', async (t) => {
    await deleteFlag({ key: 'a' })
    await createFlag({ key: 'a', name: 'Again' })
    const [change] = await catchUp(resources, copy)
    t.strictSame(change?.deletedFlagKeys, [])
    t.strictSame(copy.content, await readEverything(resources))
  })

  await t.test('and that a namespace is gone', async (t) => {
    await createNamespace({ key: 'n', name: 'N' })
    await catchUp(resources, copy)
    await deleteNamespace({ key: 'n' })
    t.match(await catchUp(resources, copy), [{ namespaceKey: 'n', deleted: true }])
    t.notOk(copy.namespaces.has('n'))
  })
})

t.test('a watcher that cannot resume from what it holds is sent the whole', async (t) => {
  const resources = await openWatched(t)
  const { createFlag, createNamespace, deleteNamespace, db } = resources
  await createFlag({ key: 'f', name: 'F' })
  await createNamespace({ key: 'n', name: 'N' })
  await createFlag({ namespaceKey: 'n', key: 'old', name: 'Old' })
  const copy = new Copy()
  await catchUp(resources, copy)

  await t.test('of a namespace that was deleted and made anew', async (t) => {
    await deleteNamespace({ key: 'n', force: true })
    await createNamespace({ key: 'n', name: 'N' })
    await createFlag({ namespaceKey: 'n', key: 'new', name: 'New' })
    t.match(await catchUp(resources, copy), [{ namespaceKey: 'n', fromRevision: 0 }])
    t.strictSame(copy.content, await readEverything(resources))
  })

  await t.test('of a namespace whose older tombstones are gone', async (t) => {
    await resources.deleteFlag({ key: 'f' })
    await db.query(
      `WITH pruned AS (DELETE FROM resource.tombstones)
       UPDATE resource.namespaces SET compacted_revision = revision`,
    )
    await createFlag({ key: 'g', name: 'G' })
    const [change] = await catchUp(resources, copy)
    t.match(change, { namespaceKey: 'default', fromRevision: 0 })
    t.strictSame(copy.content, await readEverything(resources))
  })

  await t.test('of a namespace that a backup has set back', async (t) => {
    const held = copy.namespaces.get('default')
    if (held !== undefined) held.revision += 1_000_000
    held?.flags.delete('g')
    const [change] = await catchUp(resources, copy)
    t.match(change, { namespaceKey: 'default', fromRevision: 0 })
    t.strictSame(copy.content, await readEverything(resources))
  })

  await t.test('and the deletion of one that never was', async (t) => {
    copy.namespaces.set('never', { revision: 7, flags: new Map(), segments: new Map() })
    const deleted = { namespaceKey: 'never', deleted: true, fromRevision: 7, revision: 7 }
    t.match(await catchUp(resources, copy), [deleted])
  })
})

t.test('a large namespace comes in several messages, of which all or none count', async (t) => {
  const resources = await openWatched(t)
  const { createFlag, createVariant } = resources
  const attachment = `"${'x'.repeat(56_000)}"`
  for (let i = 0; i < 11; i += 1) {
    await createFlag({ key: `f${i}`, name: 'F' })
    await createVariant({ flagKey: `f${i}`, key: 'v', attachment })
  }
  await createFlag({ key: 'huge', name: 'Huge' })
  for (let i = 0; i < 6; i += 1) await createVariant({ flagKey: 'huge', key: `v${i}`, attachment })
  const copy = new Copy()
  const changes = await catchUp(resources, copy)
  t.strictSame(
    changes.map(({ flags, more }) => [flags.length, more]),
    [
      [4, true],
      [4, true],
      [3, true],
      [1, false],
    ],
  )
  t.strictSame(copy.content, await readEverything(resources))
})

t.test('a namespace that cannot be read', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createNamespace, db } = resources
  // A time that the message cannot say fails the statement that reads it, and no other.
  const setTime = (time: string) =>
    db.query(`UPDATE resource.flags SET created_at = $1 WHERE namespace_key = 'broken'`, [time])
  await createNamespace({ key: 'broken', name: 'B' })
  await createFlag({ namespaceKey: 'broken', key: 'f', name: 'F' })
  await createNamespace({ key: 'sound', name: 'S' })
  await setTime('infinity')
  const { watch, isHeard } = await serveWatch(t, resources)
  const copy = new Copy()
  const leave = watch(copy)

  await t.test(
    'does not keep the others from being sent, but what is sent is not all',
    async (t) => {
      await waitFor(() => copy.namespaces.has('sound') && copy.namespaces.has('default'))
      await createFlag({ namespaceKey: 'sound', key: 'f', name: 'F' })
      await waitFor(() => copy.namespaces.get('sound')?.flags.has('f') === true)
      t.notOk(copy.isSynced)
    },
  )

  await t.test('is sent when it can be read again', async (t) => {
    await setTime('2020-01-01')
    await waitFor(() => copy.isSynced)
    t.strictSame(copy.content, await readEverything(resources))
  })

  await t.test('does not keep changes from a watcher that is in step', async (t) => {
    await db.query(
      `WITH next AS (SELECT nextval('resource.revisions') AS revision),
       flag AS (INSERT INTO resource.flags (namespace_key, key, type, name, revision, created_at)
                SELECT 'broken', 'g', 'BOOLEAN_FLAG_TYPE', 'G', revision, 'infinity' FROM next)
       UPDATE resource.namespaces SET revision = next.revision FROM next WHERE key = 'broken'`,
    )
    for (const key of ['a', 'b', 'c']) {
      await createFlag({ namespaceKey: 'sound', key, name: key })
      await waitFor(() => copy.namespaces.get('sound')?.flags.has(key) === true)
    }
    t.notOk(copy.namespaces.get('broken')?.flags.has('g'))
  })

  await t.test('is sent as it was read last to a new watcher', async (t) => {
    const late = new Copy()
    const leaveLate = watch(late)
    await waitFor(() => late.isSynced)
    t.strictSame([...(late.namespaces.get('broken')?.flags.keys() ?? [])], ['f'])
    await setTime('2020-01-01')
    await isHeard()
    await waitFor(() => late.namespaces.get('broken')?.flags.has('g') === true)
    t.strictSame(late.content, await readEverything(resources))
    await leaveLate()
  })
  t.equal(copy.namespaces.get('broken')?.flags.has('g'), true)
  await leave()
})
