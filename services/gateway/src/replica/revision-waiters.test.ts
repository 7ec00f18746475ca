import t from 'tap'
import { RevisionWaiters } from './revision-waiters.ts'

t.test('a wait', async (t) => {
  await t.test('ends with its revision or a later one of its namespace', async (t) => {
    const waiters = new RevisionWaiters()
    const ended: string[] = []
    const wait = (namespaceKey: string, revision: number) =>
      waiters.wait(namespaceKey, revision, 1000).then((isReached) => {
        if (isReached) ended.push(`${namespaceKey}:${revision}`)
      })
    const all = [wait('a', 1), wait('a', 2), wait('a', 3), wait('b', 1)]
    waiters.announce('a', 2)
    await Promise.all(all.slice(0, 2))
    t.strictSame(ended, ['a:1', 'a:2'])
    waiters.announce('c', 100)
    waiters.announce('a', 100)
    waiters.announce('b', 1)
    await Promise.all(all)
    t.strictSame(ended, ['a:1', 'a:2', 'a:3', 'b:1'])
  })

  await t.test('ends after its timeout, and no other wait does', async (t) => {
    const waiters = new RevisionWaiters()
    const other = waiters.wait('a', 1, 5000)
    t.equal(await waiters.wait('a', 1, 50), false)
    waiters.announce('a', 1)
    t.equal(await other, true)
  })

  await t.test('may follow another at once', async (t) => {
    const waiters = new RevisionWaiters()
    const twice = waiters.wait('a', 1, 1000).then(() => waiters.wait('a', 2, 1000))
    waiters.announce('a', 1)
    await new Promise((resolve) => setImmediate(resolve))
    waiters.announce('a', 2)
    t.equal(await twice, true)
  })
})
