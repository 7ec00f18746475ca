import t from 'tap'
import { Waiting } from './waiting.ts'

t.test('those who wait', async (t) => {
  await t.test('are woken by their revision or a later one of their namespace', async (t) => {
    const waiting = new Waiting()
    const woken: string[] = []
    const wait = (namespaceKey: string, revision: number) =>
      waiting.wait(namespaceKey, revision, 1000).then((isHere) => {
        if (isHere) woken.push(`${namespaceKey}:${revision}`)
      })
    const all = [wait('a', 1), wait('a', 2), wait('a', 3), wait('b', 1)]
    waiting.resolve('a', 2)
    await Promise.all(all.slice(0, 2))
    t.strictSame(woken, ['a:1', 'a:2'])
    waiting.resolve('c', 100)
    waiting.resolve('a', 100)
    waiting.resolve('b', 1)
    await Promise.all(all)
    t.strictSame(woken, ['a:1', 'a:2', 'a:3', 'b:1'])
  })

  await t.test('wait no longer than they said', async (t) => {
    const waiting = new Waiting()
    const startedAt = performance.now()
    const others = waiting.wait('a', 1, 5000)
    t.equal(await waiting.wait('a', 1, 50), false)
    const tookMs = performance.now() - startedAt
    t.ok(tookMs >= 45 && tookMs < 1000, `${tookMs} ms`)
    waiting.resolve('a', 1)
    t.equal(await others, true)
  })

  await t.test('may wait again at once', async (t) => {
    const waiting = new Waiting()
    const twice = waiting.wait('a', 1, 1000).then(() => waiting.wait('a', 2, 1000))
    waiting.resolve('a', 1)
    await new Promise((resolve) => setImmediate(resolve))
    waiting.resolve('a', 2)
    t.equal(await twice, true)
  })
})
