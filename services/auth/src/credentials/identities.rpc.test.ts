import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { as, firstToken, openAuth } from '../auth.test.support.ts'
import { hashToken } from './records/token.ts'

t.test('watchRevocations', async (t) => {
  const { identities, authentications, create } = await openAuth(t)
  const revoke = async () => {
    const { clientToken, id } = await create({})
    await authentications.deleteAuthentication({ id }, as(firstToken))
    return hashToken(clientToken)
  }
  const watch = () => {
    const leaving = new AbortController()
    const batches: string[][] = []
    const watching = (async () => {
      const stream = identities.watchRevocations({}, { signal: leaving.signal })
      for await (const { tokenHashes } of stream) {
        batches.push(tokenHashes.map((hash) => Buffer.from(hash).toString('base64url')))
      }
    })().catch(() => {})
    const leave = async () => {
      leaving.abort()
      await watching
    }
    t.teardown(leave)
    return { batches, leave }
  }
  const before = await revoke()

  await t.test('begins with the last ten minutes, then sends them as they come', async (t) => {
    const { batches, leave } = watch()
    while (batches.length < 2) await sleep(10)
    t.strictSame(batches.slice(0, 2), [[before], []])
    const next = await revoke()
    const since = performance.now()
    while (!batches.slice(2).flat().includes(next)) await sleep(5)
    t.ok(performance.now() - since < 1000)
    await leave()
  })

  await t.test('a gateway that reconnects has missed nothing', async (t) => {
    const missed = await revoke()
    const { batches, leave } = watch()
    while (batches.length === 0) await sleep(10)
    t.ok([before, missed].every((tokenHash) => batches[0]?.includes(tokenHash)))
    await leave()
  })
})
