import t from 'tap'
import { Seldom } from './seldom.ts'

t.test('of each kind the first is told, and the number of the others at the end', async (t) => {
  const told: [kind: string | undefined, count: number][] = []
  const seldom = new Seldom({ tellRest: (kind, count) => told.push([kind, count]) })
  t.strictSame(
    ['a', 'a', 'b', 'a', 'c'].map((kind) => seldom.isDue(kind)),
    [true, false, true, false, true],
  )
  t.strictSame(told, [])
  seldom.flush()
  t.strictSame(told, [['a', 2]])
  t.equal(seldom.isDue('a'), true, 'the first of the next interval')
  seldom.flush()
  t.strictSame(told, [['a', 2]])
})

t.test('the interval ends by itself', async (t) => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const seldom = new Seldom({ intervalMs: 20, tellRest: (_kind, count) => resolve(count) })
  // The timer alone keeps no process from ending.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  for (let i = 0; i < 5; i++) seldom.isDue('a')
  t.equal(await promise, 4)
})

t.test('more kinds than it tells apart are counted together', async (t) => {
  const told = new Map<string | undefined, number>()
  const seldom = new Seldom({ maxKinds: 10, tellRest: (kind, count) => told.set(kind, count) })
  const due = Array.from({ length: 100_000 }, (_, i) => seldom.isDue(`kind ${i}`))
  t.equal(due.filter(Boolean).length, 10)
  seldom.isDue('kind 3')
  seldom.flush()
  t.strictSame(
    told,
    new Map([
      [undefined, 99_990],
      ['kind 3', 1],
    ]),
  )
})
