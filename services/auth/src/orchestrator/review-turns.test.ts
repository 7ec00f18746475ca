import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ReviewTurns } from './review-turns.ts'

const never = new AbortController().signal

t.test('ten are under way at once, the next when one of them ends', async (t) => {
  const turns = new ReviewTurns()
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => void ends.push(resolve))
  const all = Array.from({ length: 12 }, () => turns.run(never, work))
  await sleep(20)
  t.equal(ends.length, 10)
  ends[0]?.()
  await sleep(20)
  t.equal(ends.length, 11)
  ends[1]?.()
  await sleep(20)
  for (const end of ends) end()
  await Promise.all(all)
})

t.test('twenty begin in any one second, in the order in which they came', async (t) => {
  const turns = new ReviewTurns()
  const began: { index: number; atMs: number }[] = []
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      turns.run(never, async () => void began.push({ index, atMs: performance.now() })),
    ),
  )
  t.strictSame(
    began.map(({ index }) => index),
    Array.from({ length: 30 }, (_, index) => index),
  )
  for (const [index, { atMs }] of began.entries()) {
    const before = began[index - 20]
    if (before !== undefined) t.ok(atMs - before.atMs > 900, `${atMs - before.atMs} ms`)
  }
})

t.test('a turn that does not come in time is given up, and its place with it', async (t) => {
  const turns = new ReviewTurns()
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => void ends.push(resolve))
  const first = Array.from({ length: 10 }, () => turns.run(never, work))
  let isBegun = false
  const leaving = new AbortController()
  const late = turns.run(leaving.signal, async () => {
    isBegun = true
  })
  leaving.abort()
  await t.rejects(late, { code: 'unavailable' })
  for (const end of ends) end()
  await Promise.all(first)
  await turns.run(never, async () => {})
  t.notOk(isBegun)
})

t.test('thirty may wait, whoever comes then is told to come again', async (t) => {
  const turns = new ReviewTurns()
  const leaving = new AbortController()
  const forever = () => new Promise<void>(() => {})
  const all = Array.from({ length: 40 }, () => turns.run(leaving.signal, forever))
  await t.rejects(turns.run(leaving.signal, forever), {
    code: 'resource_exhausted',
    message: 'too many service accounts log in, try again in a second',
  })
  leaving.abort()
  const settled = await Promise.race([Promise.allSettled(all.slice(10)), sleep(1000)])
  t.equal((settled as unknown[]).length, 30)
})

t.test('work that fails gives its turn back', async (t) => {
  const turns = new ReviewTurns()
  for (let i = 0; i < 15; i += 1) {
    await t.rejects(
      turns.run(never, () => Promise.reject(new Error('it failed'))),
      /it failed/,
    )
  }
})
