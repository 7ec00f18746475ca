import { fakeTime } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { Keeper } from './keeper.ts'

function start(t: Test, length: number) {
  const wait = fakeTime(t)
  const written: number[] = []
  const failures: unknown[] = []
  let attempts = 0
  const state = { revision: 1, isBroken: false }
  const file = {
    name: 'file',
    read: async () => undefined,
    async write({ revision }: { revision: number }) {
      attempts += 1
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
  return { keeper, written, failures, state, work, wait, attempts: () => attempts }
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

t.test('a failure is told once, and tried again after 60 s without anything new', async (t) => {
  const { keeper, written, failures, state, wait } = start(t, 1000)
  state.isBroken = true
  keeper.schedule()
  await wait(1)
  t.equal(failures.length, 1)
  for (let i = 0; i < 3; i++) await wait(60_000)
  t.equal(failures.length, 1, 'the others are not told')
  state.isBroken = false
  await wait(59_000)
  t.strictSame(written, [])
  await wait(1000)
  t.strictSame(written, [1])
  await wait(120_000)
  t.equal(written.length, 1)
  state.isBroken = true
  keeper.schedule()
  await wait(5000)
  t.equal(failures.length, 2, 'one after a success is')
})

t.test('what could not be written is tried again when it is closed', async (t) => {
  for (const isBroken of [false, true]) {
    await t.test(isBroken ? 'in vain' : 'and is written then', async (t) => {
      const { keeper, attempts, failures, state, written, wait } = start(t, 1000)
      state.isBroken = true
      keeper.schedule()
      await wait(1)
      t.equal(attempts(), 1)
      state.isBroken = isBroken
      await keeper.close()
      t.equal(attempts(), 2)
      t.strictSame(written, isBroken ? [] : [1])
      await wait(120_000)
      t.equal(attempts(), 2)
      t.equal(failures.length, 1)
    })
  }
})
