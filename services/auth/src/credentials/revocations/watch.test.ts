import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import type { Hash } from '../records/token.ts'
import { RecentRevocations } from './recent-revocations.ts'
import { watchRevocations } from './watch.ts'

const revocation = (tokenHash: string, validForMs = 0) => ({
  seq: 1,
  tokenHash: tokenHash as Hash,
  ageMs: 0,
  validForMs,
})

function watch(t: Test, revocations: RecentRevocations, isFollowing = () => true) {
  const batches: { readonly at: number; readonly hashes: readonly string[] }[] = []
  const leaving = new AbortController()
  const watching = (async () => {
    for await (const hashes of watchRevocations(revocations, isFollowing, leaving.signal)) {
      batches.push({ at: performance.now(), hashes })
    }
  })()
  const leave = async () => {
    leaving.abort()
    await watching
  }
  t.teardown(leave)
  return { batches, leave }
}

t.test('the revocations of the last ten minutes come first, then a heartbeat', async (t) => {
  const revocations = new RecentRevocations()
  const before = Array.from({ length: 2500 }, (_, i) => `token ${i}`)
  revocations.accept(before.map((tokenHash) => revocation(tokenHash)))
  const { batches } = watch(t, revocations)
  await sleep(50)
  t.strictSame(
    batches.map(({ hashes }) => hashes.length),
    [1000, 1000, 500, 0],
  )
  t.strictSame(new Set(batches.flatMap(({ hashes }) => hashes)), new Set(before))
})

t.test('new ones come at once, and those that are due later when they are due', async (t) => {
  const revocations = new RecentRevocations()
  const { batches } = watch(t, revocations)
  await sleep(20)
  const startedAt = performance.now()
  revocations.accept([revocation('now'), revocation('later', 300)])
  await sleep(500)
  const arrivals = batches
    .filter(({ hashes }) => hashes.length > 0)
    .map(({ at, hashes }) => ({ hashes, afterMs: at - startedAt }))
  t.strictSame(
    arrivals.map(({ hashes }) => hashes),
    [['now'], ['later']],
  )
  t.ok((arrivals[0]?.afterMs ?? 1000) < 100)
  t.ok((arrivals[1]?.afterMs ?? 0) >= 299)
})

t.test('a heartbeat comes every second, and only while revocations are followed', async (t) => {
  const following = { isOn: true }
  const { batches } = watch(t, new RecentRevocations(), () => following.isOn)
  await waitFor(() => batches.length >= 3)
  const gaps = batches.slice(1).map(({ at }, i) => at - (batches[i]?.at ?? 0))
  t.ok(Math.min(...gaps) >= 900, `none is early: ${gaps}`)
  // A busy machine may delay one of them.
  t.ok(Math.min(...gaps) < 2000, `nor are all late: ${gaps}`)
  following.isOn = false
  const before = batches.length
  await sleep(1500)
  t.equal(batches.length, before)
  following.isOn = true
  await waitFor(() => batches.length > before)
})

t.test('a watcher that leaves leaves nothing behind', async (t) => {
  const revocations = new RecentRevocations()
  const { batches, leave } = watch(t, revocations)
  await sleep(20)
  await leave()
  revocations.accept([revocation('unheard')])
  await sleep(20)
  t.strictSame(
    batches.map(({ hashes }) => hashes),
    [[]],
  )
})

t.test('a watcher that does not read is disconnected', async (t) => {
  const revocations = new RecentRevocations()
  const watching = watchRevocations(revocations, () => true, new AbortController().signal)
  await watching.next()
  for (let i = 0; i < 260_000; i += 1) revocations.accept([revocation(`token ${i}`)])
  await t.rejects(watching.next(), { code: 'resource_exhausted' })
})
