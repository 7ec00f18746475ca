import { unavailable } from '@svc/runtime'
import t from 'tap'
import { openResources } from '../testing/resources.ts'
import { forEachItem } from './each-item.ts'

const items = ['a', 'b', 'c', 'd', 'e']

/** Works on items, of which each but the last fails. */
async function run(error: unknown) {
  const [done, failed]: [string[], string[]] = [[], []]
  const work = async (item: string) => {
    if (item !== 'e') throw error
    done.push(item)
    return true
  }
  const running = forEachItem(items, work, (_, item) => failed.push(item))
  return { done, failed, error: await running.catch((error: unknown) => error) }
}

t.test('items that fail keep no other from its turn', async (t) => {
  const result = await run(new Error('no'))
  t.strictSame(result, { done: ['e'], failed: ['a', 'b', 'c', 'd'], error: undefined })
})

t.test('nor do those of which a statement takes too long', async (t) => {
  const { db } = await openResources(t)
  const slow = db.transaction(async (tx) => {
    await tx.query('SET LOCAL statement_timeout = 1')
    await tx.query('SELECT pg_sleep(10)')
  })
  const error = await slow.catch((error: unknown) => error)
  t.match(error, { code: 'unavailable' })
  t.match(await run(error), { done: ['e'], error: undefined })
})

t.test('an outage of the database ends the run with the third', async (t) => {
  const error = unavailable('the database is not available')
  t.strictSame(await run(error), { done: [], failed: ['a', 'b'], error })
})

t.test('a run ends where the work says so', async (t) => {
  const begun: string[] = []
  await forEachItem(
    items,
    async (item) => begun.push(item) < 2,
    () => t.fail(),
  )
  t.strictSame(begun, ['a', 'b'])
})
