import type { Queryable } from '@svc/database'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { as, firstToken, openAuth } from '../../auth.test.support.ts'
import { deleteToken } from '../revocations/revoked-tokens.store.ts'

t.test('reportUses', async (t) => {
  const { db, identities, authentications, create } = await openAuth(t)
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

  await t.test('waits for a deletion without holding what that locks next', async (t) => {
    // In the order of ids, the token of the command line is the first, and its static token the last.
    const [token, session, cli] = ['f', '8', '0'].map((digit) => digit.repeat(36)) as [
      string,
      string,
      string,
    ]
    const insert = `INSERT INTO auth.authentications (id, method, token_hash, parent_id, is_session)
                    VALUES ($1, 'METHOD_TOKEN', sha256($1::text::bytea), $2, $3)`
    await db.query(insert, [token, null, false])
    await db.query(insert, [session, token, true])
    await db.query(insert, [cli, session, false])
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database()
                        AND wait_event_type = 'Lock' AND query LIKE '%use_count%'`
    let reporting: Promise<unknown> | undefined
    const deleting = db.transaction((tx) => {
      const query: Queryable['query'] = async (...asked) => {
        const rows = await tx.query<never>(...asked)
        if (reporting !== undefined) return rows
        // The static token is locked by now.
        reporting = report(use(token), use(session), use(cli)).then(() => 'done', String)
        await waitFor(async () => (await db.query(waiting)).length > 0)
        return rows
      }
      return deleteToken({ query }, token)
    })
    t.strictSame(
      (await deleting).map(({ id }) => id),
      [token, session, cli],
    )
    t.equal(await reporting, 'done')
  })

  await t.test('takes a thousand at once and no more', async (t) => {
    const { id } = await create({ name: 'a' })
    const uses = Array.from({ length: 1001 }, () => use(id))
    await t.rejects(report(...uses), { code: 'invalid_argument' })
  })
})
