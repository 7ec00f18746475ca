import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ReviewTurns } from './review-turns.ts'

const never = new AbortController().signal

/** One of three, for what nobody may have all to himself. */
const callerOf = (index: number) => `10.0.0.${index % 3}`

t.test('ten are under way at once, the next when one of them ends', async (t) => {
  const turns = new ReviewTurns()
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => void ends.push(resolve))
  const all = Array.from({ length: 12 }, () => turns.run('', never, work))
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
      turns.run(
        callerOf(index),
        never,
        async () => void began.push({ index, atMs: performance.now() }),
      ),
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
  const first = Array.from({ length: 10 }, () => turns.run('', never, work))
  let isBegun = false
  const leaving = new AbortController()
  const late = turns.run('', leaving.signal, async () => {
    isBegun = true
  })
  leaving.abort()
  await t.rejects(late, { code: 'unavailable' })
  for (const end of ends) end()
  await Promise.all(first)
  await turns.run('', never, async () => {})
  t.notOk(isBegun)
})

t.test('thirty may wait, whoever comes then is told to come again', async (t) => {
  const turns = new ReviewTurns()
  const leaving = new AbortController()
  const forever = () => new Promise<void>(() => {})
  const all = Array.from({ length: 40 }, (_, index) =>
    turns.run(callerOf(index), leaving.signal, forever),
  )
  await t.rejects(turns.run('10.0.0.9', leaving.signal, forever), {
    code: 'resource_exhausted',
    message: 'too many service accounts log in, try again in a second',
  })
  leaving.abort()
  const settled = await Promise.race([Promise.allSettled(all.slice(10)), sleep(1000)])
  t.equal((settled as unknown[]).length, 30)
})

t.test('ten of one caller may wait, so that others get turns, too', async (t) => {
  const turns = new ReviewTurns()
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => void ends.push(resolve))
  const greedy = Promise.allSettled(
    Array.from({ length: 100 }, () => turns.run('10.0.0.1', never, work)),
  )
  let isServed = false
  const other = turns.run('10.0.0.2', never, async () => {
    isServed = true
  })
  await sleep(20)
  t.equal(ends.length, 10)
  for (let i = 0; i < 20; i += 1) {
    ends[i]?.()
    await sleep(1)
  }
  await other
  t.ok(isServed)
  const outcomes = (await greedy).map(({ status }) => status)
  t.equal(outcomes.filter((status) => status === 'fulfilled').length, 20)
})

t.test('work that fails gives its turn back', async (t) => {
  const turns = new ReviewTurns()
  for (let i = 0; i < 15; i += 1) {
    await t.rejects(
      turns.run('', never, () => Promise.reject(new Error('it failed'))),
      /it failed/,
    )
  }
})
