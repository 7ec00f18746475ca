import { gunzipSync } from 'node:zlib'
import { EventLoopScheduler } from '@svc/runtime'
import t from 'tap'
import { CompressedSnapshots } from './compressed.ts'
import { currentForm, formFor } from './form.ts'
import type { Snapshot } from './snapshot.ts'
import { Snapshots } from './snapshots.ts'
import { applyTo, booleanState, copyOf, segmentFor } from './testing.ts'

const earliestForm = formFor({})

function manyFlags(count: number, name?: string) {
  return Array.from({ length: count }, (_, i) => booleanState(`f-${i}`, i, name))
}

t.test('snapshots', async (t) => {
  await t.test('are made once for all who ask at a time, and then kept', async (t) => {
    const snapshots = new Snapshots(new EventLoopScheduler())
    const copy = copyOf('a', 1, { flags: manyFlags(10) })
    const asked = Array.from({ length: 100 }, () => snapshots.get(copy, currentForm))
    const [first, ...others] = await Promise.all(asked)
    t.ok(others.every((snapshot) => snapshot === first))
    t.equal(await snapshots.get(copy, currentForm), first)
  })

  await t.test('are made for each form', async (t) => {
    const snapshots = new Snapshots(new EventLoopScheduler())
    const copy = copyOf('a', 1, {})
    const one = await snapshots.get(copy, currentForm)
    const other = await snapshots.get(copy, earliestForm)
    t.not(one.etag, other.etag)
    t.equal(await snapshots.get(copy, currentForm), one)
  })

  await t.test('are never older than the question', async (t) => {
    const snapshots = new Snapshots(new EventLoopScheduler())
    const copy = copyOf('a', 1, { flags: manyFlags(2000) })
    for (let revision = 2; revision < 30; revision++) {
      const asking = snapshots.get(copy, currentForm)
      // Some of these come when the work for the first has begun, and some before.
      if (revision % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
      const name = `revision ${revision}`
      applyTo(copy, revision, { flags: [booleanState('f-5', 5, name)] })
      const snapshot = await snapshots.get(copy, currentForm)
      t.equal(snapshot.revision, revision)
      t.ok(snapshot.body.includes(`"name":"${name}"`))
      t.ok((await asking).revision >= revision - 1)
    }
  })

  await t.test('belong to the copy that was asked about', async (t) => {
    const snapshots = new Snapshots(new EventLoopScheduler())
    const before = copyOf('a', 9, { flags: [booleanState('before')] })
    const after = copyOf('a', 5, { flags: [booleanState('after')] })
    t.strictSame((await snapshots.get(before, currentForm)).flagKeys, ['before'])
    const asked = [before, after, before].map((copy) => snapshots.get(copy, currentForm))
    const made = await Promise.all(asked)
    t.strictSame(
      made.flatMap(({ flagKeys }) => flagKeys),
      ['before', 'after', 'before'],
    )
  })

  await t.test('take no more than a bound, the one not used for longest goes first', async (t) => {
    const copies = Array.from({ length: 20 }, (_, i) =>
      copyOf(`${i}`, 1, { flags: manyFlags(100) }),
    )
    const alone = new Snapshots(new EventLoopScheduler())
    for (const copy of copies.slice(0, 1)) await alone.get(copy, currentForm)
    const maxBytes = alone.size * 5 + 100
    const snapshots = new Snapshots(new EventLoopScheduler(), { maxBytes })
    const made: Snapshot[] = []
    for (const copy of copies) made.push(await snapshots.get(copy, currentForm))
    t.ok(snapshots.size > alone.size * 4)
    t.ok(snapshots.size <= maxBytes, `${snapshots.size} bytes`)
    const last = copies.length - 1
    const again = async (i: number) => {
      const copy = copies[i]
      return copy && (await snapshots.get(copy, currentForm)) === made[i]
    }
    t.ok(await again(last), 'the last one is kept')
    t.notOk(await again(0), 'the first one is not')
  })

  await t.test('are served even where there is no room for them', async (t) => {
    const snapshots = new Snapshots(new EventLoopScheduler(), { maxBytes: 100 })
    const copy = copyOf('a', 1, { flags: manyFlags(10) })
    t.equal((await snapshots.get(copy, currentForm)).flagKeys.length, 10)
    t.equal(snapshots.size, 0)
  })

  await t.test('that get too large are looked at again after a change only', async (t) => {
    const snapshots = new Snapshots(new EventLoopScheduler())
    const constraint = { property: 'x'.repeat(1_000_000) }
    const state = booleanState('f')
    const [rollout] = state.rollouts ?? []
    const copy = copyOf('a', 1, {
      segments: [{ key: 'pro', constraints: [constraint] }],
      flags: [{ ...state, rollouts: Array.from({ length: 500 }, () => rollout ?? {}) }],
    })
    const refused = { code: 'invalid_argument', reason: 'snapshot_too_large' }
    await t.rejects(snapshots.get(copy, currentForm), refused)
    const startedAt = performance.now()
    for (let i = 0; i < 100; i++) await t.rejects(snapshots.get(copy, currentForm), refused)
    t.ok(performance.now() - startedAt < 1000)
    applyTo(copy, 2, { segments: [segmentFor('pro', 'x')] })
    t.equal((await snapshots.get(copy, currentForm)).revision, 2)
  })
})

t.test('making snapshots leaves the event loop to others', async (t) => {
  const snapshots = new Snapshots(new EventLoopScheduler())
  const copies = Array.from({ length: 5 }, (_, i) => copyOf(`${i}`, 1, { flags: manyFlags(2000) }))
  const work = Promise.all(copies.map((copy) => snapshots.get(copy, currentForm)))
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  let turns = 0
  let longest = 0
  // Of this thread: what others do on the machine meanwhile is not our work.
  const workedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = workedMs()
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = workedMs()
    longest = Math.max(longest, now - last)
    last = now
    turns++
  }
  t.equal((await work).length, 5)
  t.ok(turns > 5, `in ${turns} turns`)
  // 5 ms each; the rest is for garbage collection.
  t.ok(longest < 50, `the longest took ${longest} ms`)
})

t.test('compressed snapshots', async (t) => {
  const compressed = new CompressedSnapshots()
  const copy = copyOf('a', 1, { flags: manyFlags(1000) })
  const snapshot = await new Snapshots(new EventLoopScheduler()).get(copy, currentForm)
  const [first, ...others] = await Promise.all(
    Array.from({ length: 10 }, () => compressed.get(snapshot)),
  )
  t.ok(first && gunzipSync(first).equals(snapshot.body), 'are the same')
  t.ok(first && first.length * 10 < snapshot.body.length, 'but shorter')
  t.ok(
    others.every((other) => other === first),
    'and made once',
  )
  t.equal(await compressed.get(snapshot), first)
})
