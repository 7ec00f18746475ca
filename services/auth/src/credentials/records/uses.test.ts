import t from 'tap'
import { as, firstToken, openAuth } from '../../auth.test.support.ts'

t.test('reportUses', async (t) => {
  const { identities, authentications, create } = await openAuth(t)
  const use = (authenticationId: string, more = {}) => ({
    authenticationId,
    count: 1,
    lastUsedMsAgo: 0,
    lastAddress: '192.0.2.1',
    ...more,
  })
  const report = (...uses: ReturnType<typeof use>[]) =>
    identities.reportUses({ uses, refusals: [] })
  const read = async (id: string) =>
    (await authentications.getAuthentication({ id }, as(firstToken))).use

  await t.test('adds up the counts of gateways in any order', async (t) => {
    const { id } = await create({ name: 'a' })
    t.equal(await read(id), undefined)
    await Promise.all(Array.from({ length: 10 }, () => report(use(id, { count: 3 }))))
    t.match(await read(id), { count: 30, lastAddress: '192.0.2.1' })
    await report(use(id, { lastUsedMsAgo: 60_000, lastAddress: '192.0.2.9' }))
    const { count, lastAddress, lastAt } = (await read(id)) ?? {}
    t.match({ count, lastAddress }, { count: 31, lastAddress: '192.0.2.1' }, 'the latest one stays')
    t.ok(Math.abs((lastAt?.seconds ?? 0) * 1000 - Date.now()) < 10_000)
    await report(use(id, { lastAddress: '2001:db8::1' }))
    t.match(await read(id), { count: 32, lastAddress: '2001:db8::1' })
  })

  await t.test('is by the clock of the database', async (t) => {
    const { id } = await create({ name: 'a' })
    await report(use(id, { lastUsedMsAgo: 600_000 }))
    const { lastAt } = (await read(id)) ?? {}
    t.ok(Math.abs(Date.now() - 600_000 - (lastAt?.seconds ?? 0) * 1000) < 10_000)
  })

  await t.test('leaves out what is gone, and what makes no sense', async (t) => {
    const { id } = await create({ name: 'a' })
    const { id: gone } = await create({ name: 'b' })
    await authentications.deleteAuthentication({ id: gone }, as(firstToken))
    await report(
      use(gone),
      use(id, { count: 0 }),
      use(id, { count: -5 }),
      use(id, { lastUsedMsAgo: -1 }),
      use(id, { lastUsedMsAgo: 3_600_001 }),
      use(id, { lastAddress: "'; DROP TABLE" }),
      use('no id'),
      use('\0'),
    )
    t.equal(await read(id), undefined)
    await report()
  })

  await t.test('takes a thousand at once and no more', async (t) => {
    const { id } = await create({ name: 'a' })
    const uses = Array.from({ length: 1001 }, () => use(id))
    await t.rejects(report(...uses), { code: 'invalid_argument' })
  })
})
