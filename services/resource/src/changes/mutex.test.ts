import { mock } from 'node:test'
import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { mutexOf } from './commit.ts'

/** Never connects: only its identity is used. */
function unusedDatabase() {
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'unused')
  return openDatabase('postgres://127.0.0.1:1/unused', { name: 'unused', maxConnections: 1, log })
}

const refused = {
  code: 'unavailable',
  message: 'too many changes to namespace "n" at once, try again',
}

t.test('a namespace has room for 400 waiting writes, for 10 s each', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const mutex = mutexOf(unusedDatabase())
  const { promise, resolve } = Promise.withResolvers<void>()
  const all = Promise.allSettled(Array.from({ length: 401 }, () => mutex.run('n', () => promise)))
  await t.rejects(
    mutex.run('n', () => promise),
    refused,
    'at once, as one too many',
  )
  t.equal(await mutex.run('m', async () => 'done'), 'done', 'another namespace has its own')
  mock.timers.tick(9999)
  mock.timers.tick(1)
  resolve()
  const outcomes = await all
  t.equal(outcomes[0]?.status, 'fulfilled')
  for (const outcome of outcomes.slice(1)) t.match(outcome, { status: 'rejected', reason: refused })
})

t.test('the writes of a process share one mutex for a database', async (t) => {
  const [one, other] = [unusedDatabase(), unusedDatabase()]
  t.equal(mutexOf(one), mutexOf(one))
  t.not(mutexOf(one), mutexOf(other))
})
