import t from 'tap'
import { chain, onFailure } from './chain.ts'

t.test('a value stays a value, and a promise becomes one', async (t) => {
  t.equal(
    chain(1, (one) => one + 1),
    2,
  )
  const later = chain(Promise.resolve(1), (one) => one + 1)
  t.type(later, Promise)
  t.equal(await later, 2)
  t.equal(await chain(1, async (one) => one + 1), 2)
})

t.test('a failure is reported, and thrown on', async (t) => {
  const reported: unknown[] = []
  const report = (error: unknown) => reported.push(error)
  const error = new Error('no')
  const fail = () => {
    throw error
  }
  t.throws(() => onFailure(fail, report), error)
  await t.rejects(async () => onFailure(async () => fail(), report), error)
  t.strictSame(reported, [error, error])
  t.equal(
    onFailure(() => 1, report),
    1,
  )
  t.equal(await onFailure(async () => 1, report), 1)
  t.equal(reported.length, 2)
})
