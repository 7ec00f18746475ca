import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Turns } from './keyed-mutex.ts'

/** Work that ends when it is told to, and remembers what happened when. */
function startWork(turns: Turns, events: string[]) {
  return (thing: string, name: string, waitMs = 5000) => {
    const { promise, resolve } = withResolvers()
    const done = turns.withTurn(thing, performance.now() + waitMs, async () => {
      events.push(`${name} begins`)
      await promise
      events.push(`${name} ends`)
    })
    return { end: resolve, done }
  }
}

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

t.test('turns come one after the other, in the order in which they were asked for', async (t) => {
  const events: string[] = []
  const work = startWork(new Turns(), events)
  const [a, b, c] = [work('n', 'a'), work('n', 'b'), work('n', 'c')]
  c.end()
  b.end()
  await sleep(5)
  t.strictSame(events, ['a begins'])
  a.end()
  await Promise.all([a.done, b.done, c.done])
  const expected = ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']
  t.strictSame(events, expected)
})

t.test('nobody waits for the turn of something else', async (t) => {
  const events: string[] = []
  const work = startWork(new Turns(), events)
  const [a, b] = [work('n', 'a'), work('m', 'b')]
  await sleep(5)
  t.strictSame(events, ['a begins', 'b begins'])
  a.end()
  b.end()
  await Promise.all([a.done, b.done])
})

t.test('a failure passes the turn on', async (t) => {
  const turns = new Turns()
  const failing = turns.withTurn('n', 0, () => Promise.reject(new Error('no')))
  const next = turns.withTurn('n', performance.now() + 5000, async () => 'yes')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'yes')
})

t.test('who waits for too long is turned away, and not waited for', async (t) => {
  const events: string[] = []
  const work = startWork(new Turns(), events)
  const a = work('n', 'a')
  const b = work('n', 'b', 50)
  const message = 'too many changes to namespace "n" at once, try again'
  await t.rejects(b.done, { code: 'unavailable', message })
  const c = work('n', 'c')
  a.end()
  c.end()
  await Promise.all([a.done, c.done])
  t.strictSame(events, ['a begins', 'a ends', 'c begins', 'c ends'])
})

t.test('who would wait behind too many is turned away at once', async (t) => {
  const work = startWork(new Turns(), [])
  const waiting = Array.from({ length: 401 }, (_, i) => work('n', `${i}`))
  const startedAt = performance.now()
  await t.rejects(work('n', 'late').done, { code: 'unavailable' })
  t.ok(performance.now() - startedAt < 1000)
  for (const { end } of waiting) end()
  await Promise.all(waiting.map(({ done }) => done))
})
