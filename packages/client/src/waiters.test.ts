import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { Waiters } from './waiters.ts'

t.test('callers wait for a revision, and no longer than they may', async (t) => {
  const wait = fakeTime(t)
  const waiters = new Waiters('shop')
  t.equal(waiters.wanted, 0)
  const reached: string[] = []
  const note = (name: string) => () => void reached.push(name)
  const all = [
    waiters.wait(42).then(note('42'), note('42 late')),
    waiters.wait(43, 100).then(note('43'), note('43 late')),
    waiters.wait(44, Number.MAX_SAFE_INTEGER).then(note('44'), note('44 late')),
  ]
  t.equal(waiters.wanted, 44)
  waiters.reach(41)
  await wait(100)
  waiters.reach(43)
  await wait(1_000_000)
  waiters.reach(50)
  await Promise.all(all)
  t.strictSame(reached, ['43 late', '42', '44'])
  t.equal(waiters.wanted, 0)
})

t.test('those that wait when it is closed are told, and none waits after it', async (t) => {
  const wait = fakeTime(t)
  const waiters = new Waiters('shop')
  const closed = { name: 'SvcError', code: 1, message: /^revision shop:42 is not waited for/ }
  const waiting = t.rejects(waiters.wait(42), closed)
  waiters.close()
  await waiting
  t.equal(waiters.wanted, 0)
  await t.rejects(waiters.wait(42), closed)
  t.equal(waiters.wanted, 0)
  await wait(100_000)
})

t.test('a revision is one of the namespace', async (t) => {
  const waiters = new Waiters('shop')
  t.equal(waiters.read('shop:42'), 42)
  for (const text of ['42', 'default:42', 'shop:', 'shop:-1', 'shop:x', 'shop:1e3', '']) {
    t.throws(() => waiters.read(text), { name: 'SvcError', code: 3 }, text)
  }
})
