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

t.test('a failure is told of, and goes on', async (t) => {
  const told: unknown[] = []
  const tell = (error: unknown) => told.push(error)
  const error = new Error('no')
  const fail = () => {
    throw error
  }
  t.throws(() => onFailure(fail, tell), error)
  await t.rejects(async () => onFailure(async () => fail(), tell), error)
  t.strictSame(told, [error, error])
  t.equal(
    onFailure(() => 1, tell),
    1,
  )
  t.equal(await onFailure(async () => 1, tell), 1)
  t.equal(told.length, 2)
})
