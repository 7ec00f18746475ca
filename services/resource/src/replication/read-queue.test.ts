import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ReadQueue } from './read-queue.ts'

/** A queue whose reads the test ends. */
function startQueue({ limit = 2, failing = [] as readonly string[] } = {}) {
  const underWay = new Map<string, (revision: number | undefined) => void>()
  const begun: string[] = []
  const revisions = new Map<string, number>()
  const queue = new ReadQueue({
    limit,
    revisionOf: (key) => revisions.get(key) ?? 0,
    isFailing: (key) => failing.includes(key),
    read(key) {
      begun.push(key)
      return new Promise((resolve) => {
        underWay.set(key, (revision) => {
          if (revision !== undefined) revisions.set(key, revision)
          resolve(revision !== undefined)
        })
      })
    },
  })
  /** @param revision what was found; `undefined` when it could not be read */
  const end = async (key: string, revision?: number) => {
    underWay.get(key)?.(revision)
    await turn()
  }
  return { queue, begun, end }
}

t.test('a namespace is read once for all requests before its read begins', async (t) => {
  const { queue, begun, end } = startQueue({ limit: 1 })
  const first = queue.request('a')
  const others = [queue.request('b', 3), queue.request('b', 5), queue.request('b', 4)]
  t.strictSame(begun, ['a'])
  await end('a', 1)
  t.equal(await first, true)
  t.strictSame(begun, ['a', 'b'])
  await end('b', 5)
  t.strictSame(await Promise.all(others), [true, true, true])
  t.strictSame(begun, ['a', 'b'])
})

t.test('a request during a read is answered after another read', async (t) => {
  const { queue, begun, end } = startQueue()
  const first = queue.request('a', 1)
  const second = queue.request('a', 2)
  await end('a', 1)
  t.equal(await first, true)
  t.strictSame(begun, ['a', 'a'], 'and never twice at the same time')
  await end('a', 2)
  t.equal(await second, true)
})

t.test('what a read has found on the way is not read again', async (t) => {
  const { queue, begun, end } = startQueue()
  const both = [queue.request('a', 1), queue.request('a', 2)]
  await end('a', 2)
  t.strictSame(await Promise.all(both), [true, true])
  t.strictSame(begun, ['a'])
  t.equal(await queue.request('a', 2), true)
  t.strictSame(begun, ['a'])
  const anyway = queue.request('a')
  t.strictSame(begun, ['a', 'a'])
  await end('a', 2)
  t.equal(await anyway, true)
})

t.test('as many are read at once as may be, but one of those that fail', async (t) => {
  const { queue, begun, end } = startQueue({ limit: 3, failing: ['x', 'y'] })
  const all = ['x', 'y', 'a', 'b', 'c'].map((key) => queue.request(key))
  t.strictSame(begun, ['x', 'a', 'b'])
  await end('a', 1)
  t.strictSame(begun, ['x', 'a', 'b', 'c'])
  await end('x')
  t.strictSame(begun, ['x', 'a', 'b', 'c', 'y'])
  for (const key of ['b', 'c', 'y']) await end(key, 1)
  t.strictSame(await Promise.all(all), [false, true, true, true, true])
})

t.test('closing waits for what is under way and begins nothing', async (t) => {
  const { queue, begun, end } = startQueue({ limit: 1 })
  const reads = [queue.request('a'), queue.request('b')]
  let isClosed = false
  const closing = queue.close().then(() => {
    isClosed = true
  })
  await turn()
  t.notOk(isClosed)
  await end('a', 1)
  await closing
  t.strictSame(await Promise.all([...reads, queue.request('c')]), [true, false, false])
  t.strictSame(begun, ['a'])
})
