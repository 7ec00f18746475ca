import { fakeTime } from '@svc/runtime/testing'
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

/** Watches. Times are in milliseconds since then, by a clock that the test moves. */
async function watch(t: Test, revocations: RecentRevocations, isFollowing = () => true) {
  const advance = fakeTime(t)
  const startedAt = performance.now()
  const batches: { readonly at: number; readonly hashes: readonly string[] }[] = []
  const leaving = new AbortController()
  const watching = (async () => {
    for await (const hashes of watchRevocations(revocations, isFollowing, leaving.signal)) {
      batches.push({ at: performance.now() - startedAt, hashes })
    }
  })()
  const leave = async () => {
    leaving.abort()
    await watching
  }
  t.teardown(leave)
  await advance(0)
  return { batches, leave, advance }
}

t.test('the revocations of the last ten minutes come first, then a heartbeat', async (t) => {
  const revocations = new RecentRevocations()
  const before = Array.from({ length: 2500 }, (_, i) => `token ${i}`)
  revocations.accept(before.map((tokenHash) => revocation(tokenHash)))
  const { batches } = await watch(t, revocations)
  t.strictSame(
    batches.map(({ hashes }) => hashes.length),
    [1000, 1000, 500, 0],
  )
  t.strictSame(new Set(batches.flatMap(({ hashes }) => hashes)), new Set(before))
})

t.test('new ones come at once, and those that are due later when they are due', async (t) => {
  const revocations = new RecentRevocations()
  const { batches, advance } = await watch(t, revocations)
  revocations.accept([revocation('now'), revocation('later', 300)])
  await advance(0)
  for (let ms = 0; ms < 500; ms++) await advance(1)
  t.strictSame(batches.slice(1), [
    { at: 0, hashes: ['now'] },
    { at: 300, hashes: ['later'] },
  ])
})

t.test('a heartbeat comes every second, and only while revocations are followed', async (t) => {
  const following = { isOn: true }
  const { batches, advance } = await watch(t, new RecentRevocations(), () => following.isOn)
  const beats = async (ms: number) => {
    const before = batches.length
    for (let passed = 0; passed < ms; passed += 10) await advance(10)
    return batches.slice(before)
  }
  const at = (ms: number) => ({ at: ms, hashes: [] })
  t.strictSame(batches, [at(0)])
  t.strictSame(await beats(2500), [at(1000), at(2000)])
  following.isOn = false
  t.strictSame(await beats(2000), [])
  following.isOn = true
  t.strictSame(await beats(1000), [at(5000)])
})

t.test('a watcher that leaves leaves nothing behind', async (t) => {
  const revocations = new RecentRevocations()
  const { batches, leave, advance } = await watch(t, revocations)
  await leave()
  revocations.accept([revocation('unheard')])
  await advance(5000)
  t.strictSame(batches, [{ at: 0, hashes: [] }])
})

t.test('a watcher that does not read is disconnected', async (t) => {
  const revocations = new RecentRevocations()
  const watching = watchRevocations(revocations, () => true, new AbortController().signal)
  await watching.next()
  // One token, for the cache takes longer for a new one, and the queue has all the same.
  const again = [revocation('again')]
  for (let i = 0; i < 250_001; i += 1) revocations.accept(again)
  await t.rejects(watching.next(), { code: 'resource_exhausted' })
})
