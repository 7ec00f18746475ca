import { fakeTime } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { Keeper } from './keeper.ts'

function start(t: Test, length: number) {
  const wait = fakeTime(t)
  const written: number[] = []
  const failures: unknown[] = []
  const state = { revision: 1, isBroken: false }
  const file = {
    name: 'file',
    read: async () => undefined,
    async write({ revision }: { revision: number }) {
      if (state.isBroken) throw new Error('ENOSPC')
      written.push(revision)
      return length
    },
  }
  const take = () => ({ revision: state.revision, flags: [], segments: [] })
  const keeper = new Keeper(file, take, (error) => failures.push(error))
  /** Something new comes each second. */
  const work = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      keeper.schedule()
      await wait(1000)
      state.revision++
    }
  }
  return { keeper, written, failures, state, work, wait }
}

t.test('a small file is written at most every 5 s', async (t) => {
  const { keeper, written, work, wait } = start(t, 1000)
  await work(1)
  t.strictSame(written, [1], 'the first at once')
  await work(20)
  t.strictSame(written, [1, 6, 11, 16, 21])
  keeper.schedule()
  await wait(60_000)
  t.equal(written.at(-1), 22, 'the last at last')
  await wait(60_000)
  t.equal(written.length, 6, 'and not without anything new')
  await keeper.close()
  t.equal(written.length, 6)
})

t.test('a large file is written at most every 60 s, and at the end', async (t) => {
  const { keeper, written, state, work } = start(t, 2 ** 20)
  await work(130)
  t.strictSame(written.length, 3)
  keeper.schedule()
  await keeper.close()
  t.equal(written.at(-1), state.revision)
  keeper.schedule()
  await work(100)
  t.equal(written.length, 4, 'and not after it')
})

t.test('a failure is told, and tried again with what is new', async (t) => {
  const { written, failures, state, work } = start(t, 1000)
  state.isBroken = true
  await work(6)
  t.ok(failures.length >= 1)
  state.isBroken = false
  await work(6)
  t.ok(written.length >= 1)
})
