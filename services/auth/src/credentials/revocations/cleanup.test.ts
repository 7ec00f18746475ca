import { openDatabase } from '@svc/database'
import t from 'tap'
import { openAuthDatabase, silent } from '../../auth.test.support.ts'
import { cleanUp } from './cleanup.ts'

const minutes = 60_000

t.test('cleanUp', async (t) => {
  const db = await openAuthDatabase(t)
  const add = (count: number, expiresAt: string, method = 'METHOD_TOKEN') =>
    db.query(
      `INSERT INTO auth.authentications (method, token_hash, expires_at)
       SELECT $1, sha256(uuid_send(gen_random_uuid())), ${expiresAt} FROM generate_series(1, $2)`,
      [method, count],
    )
  const count = async () => {
    const [row] = await db.query<{ count: number }>('SELECT count(*) FROM auth.authentications')
    return row?.count
  }

  await t.test('deletes what expired longer ago than the grace period, nothing else', async (t) => {
    await add(3, "now() - interval '31 minutes'")
    await add(4, "now() - interval '29 minutes'")
    await add(5, "now() + interval '1 minute'")
    await add(6, 'NULL')
    await add(7, "now() - interval '1 year'", 'METHOD_OIDC')
    t.equal(await cleanUp(db, 'METHOD_TOKEN', 30 * minutes), 3)
    t.equal(await cleanUp(db, 'METHOD_TOKEN', 30 * minutes), 0)
    t.equal(await count(), 22)
    t.equal(await cleanUp(db, 'METHOD_OIDC', 30 * minutes), 7)
  })

  await t.test('four at once delete each token once, and none too early', async (t) => {
    await db.query('DELETE FROM auth.authentications')
    await add(10_000, "now() - interval '31 minutes'")
    await add(500, "now() - interval '29 minutes'")
    const replicas = Array.from({ length: 4 }, () =>
      openDatabase(db.url, {
        name: 'cleanup',
        maxConnections: 1,
        log: silent,
        acquireTimeoutMs: 5000,
      }),
    )
    let deleted = 0
    while ((await count()) !== 500) {
      const counts = await Promise.all(
        // A process that is too slow on a busy machine leaves the rest to the next round.
        replicas.map((replica) => cleanUp(replica, 'METHOD_TOKEN', 30 * minutes).catch(() => 0)),
      )
      deleted += counts.reduce((sum, one) => sum + one, 0)
    }
    t.equal(deleted, 10_000)
    await Promise.all(replicas.map((replica) => replica.close()))
  })

  await t.test('the longest grace period that can be set keeps everything', async (t) => {
    t.equal(await cleanUp(db, 'METHOD_TOKEN', 876_000 * 3_600_000), 0)
  })

  await t.test('stops after a batch when the process is ending', async (t) => {
    await add(2500, "now() - interval '1 day'")
    t.equal(await cleanUp(db, 'METHOD_TOKEN', 30 * minutes, AbortSignal.abort()), 1000)
  })
})
