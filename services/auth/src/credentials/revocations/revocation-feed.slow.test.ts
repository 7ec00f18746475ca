import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseClock } from '@svc/database'
import type { TestDatabase } from '@svc/database/testing'
import t from 'tap'
import {
  deletion,
  testEvents as events,
  openAuthDatabase,
  openLog,
  silent,
} from '../../auth.test.support.ts'
import { noTokenCache as shared } from '../cache/redis-cache.ts'
import { makeToken, openNowhere } from '../lookup/lookup.test.support.ts'
import type { Hash } from '../records/token.ts'
import { pruneRevocations } from './cleanup.ts'
import { RecentRevocations } from './recent-revocations.ts'
import { RevocationFeed } from './revocation-feed.ts'
import { revokeWith } from './revoke.ts'
import { deleteToken } from './revoked-tokens.store.ts'

/** As another process does it: this one receives it by polling only. */
async function revokeElsewhere(db: TestDatabase): Promise<Hash> {
  const { id, tokenHash } = await makeToken(db)
  const revoke = revokeWith({ db, shared, revocations: new RecentRevocations(), events })
  await revoke((tx) => deleteToken(tx, id), deletion)
  return tokenHash
}

t.test('a feed', async (t) => {
  const db = await openAuthDatabase(t)
  const openFeed = () => {
    const revocations = new RecentRevocations()
    const feed = new RevocationFeed({ db, clock: new DatabaseClock(), revocations, log: silent })
    return { feed, revocations }
  }

  await t.test('begins with what was revoked before', async (t) => {
    const tokenHash = await revokeElsewhere(db)
    const { feed, revocations } = openFeed()
    t.notOk(feed.isFollowing())
    await feed.load()
    t.ok(feed.isFollowing())
    t.ok(revocations.has(tokenHash))
  })

  await t.test('misses none of many that are committed at the same time', async (t) => {
    const { feed, revocations } = openFeed()
    const received = new Set<string>()
    revocations.listen({ onRevoked: (tokenHash) => received.add(tokenHash) })
    await feed.load()
    const revokeMany = async () => {
      // On a busy machine one may take too long. What counts is what was committed.
      for (let i = 0; i < 15; i += 1) await revokeElsewhere(db).catch(() => {})
      return true
    }
    const revoking = Promise.all(Array.from({ length: 4 }, revokeMany))
    while (!(await Promise.race([revoking, feed.read().catch(() => {})])));
    await feed.load()
    const rows = await db.query<{ tokenHash: Buffer }>(
      'SELECT token_hash AS "tokenHash" FROM auth.revocations',
    )
    t.ok(rows.length > 30, `${rows.length} revocations`)
    t.strictSame(received, new Set(rows.map(({ tokenHash }) => tokenHash.toString('base64url'))))
  })

  await t.test('reads a long backlog in several batches', async (t) => {
    await db.query(
      `INSERT INTO auth.revocations (token_hash)
       SELECT sha256(n::text::bytea) FROM generate_series(1, 12000) n`,
    )
    const { feed, revocations } = openFeed()
    await feed.load()
    t.ok(revocations.refused().length >= 12_000)
  })

  await t.test('one that asks while another reads is served by a later reading', async (t) => {
    const { feed, revocations } = openFeed()
    await feed.load()
    const first = feed.read().catch(() => {})
    const tokenHash = await revokeElsewhere(db)
    await Promise.all([first, ...Array.from({ length: 500 }, () => feed.read())])
    t.ok(revocations.has(tokenHash))
  })
})

t.test('a feed whose database is replaced by an older one', async (t) => {
  const db = await openAuthDatabase(t)
  const { log, lines } = openLog()
  const revocations = new RecentRevocations()
  const gaps = { count: 0 }
  revocations.listen({ onGap: () => void gaps.count++ })
  const feed = new RevocationFeed({ db, clock: new DatabaseClock(), revocations, log })
  /** As a restored backup has it: later revocations are gone, and their numbers drawn again. */
  const goBackTo = async (seq: number) => {
    await db.query('DELETE FROM auth.revocations WHERE seq > $1', [seq])
    await db.query(`SELECT setval('auth.revocations_seq_seq', $1, $2)`, [seq || 1, seq > 0])
  }
  for (let i = 0; i < 5; i += 1) await revokeElsewhere(db)
  await feed.load()
  await feed.poll()
  t.equal(gaps.count, 0)

  await t.test('receives what is revoked under smaller numbers', async (t) => {
    await goBackTo(2)
    const tokenHash = await revokeElsewhere(db)
    await feed.poll()
    t.ok(revocations.has(tokenHash))
    t.equal(gaps.count, 1, 'and has everything forgotten')
    const next = await revokeElsewhere(db)
    await feed.poll()
    t.ok(revocations.has(next))
    t.equal(gaps.count, 1, 'once')
  })

  await t.test('or under the very number that it read last, or one beyond it', async (t) => {
    await goBackTo(3)
    const same = await revokeElsewhere(db)
    await feed.poll()
    t.ok(revocations.has(same))
    await goBackTo(3)
    const hashes = [await revokeElsewhere(db), await revokeElsewhere(db), await revokeElsewhere(db)]
    await feed.poll()
    t.ok(hashes.every((tokenHash) => revocations.has(tokenHash)))
    t.equal(gaps.count, 3)
  })

  await t.test('or when none is left', async (t) => {
    await goBackTo(0)
    await feed.poll()
    t.equal(gaps.count, 4)
    const tokenHash = await revokeElsewhere(db)
    await feed.poll()
    t.ok(revocations.has(tokenHash))
    t.equal(gaps.count, 4)
  })

  t.strictSame(
    lines.map(({ msg }) => msg),
    Array(4).fill('the last revocation that was read is gone: reading all of them anew'),
  )
})

t.test('the latest revocation stays, however old, for those who read on from it', async (t) => {
  const db = await openAuthDatabase(t)
  await db.query(
    `INSERT INTO auth.revocations (token_hash, revoked_at)
     SELECT sha256(n::text::bytea), now() - interval '2 hours' FROM generate_series(1, 3) n`,
  )
  const revocations = new RecentRevocations()
  const { log, lines } = openLog()
  const feed = new RevocationFeed({ db, clock: new DatabaseClock(), revocations, log })
  await feed.load()
  t.equal(await pruneRevocations(db), 2)
  await feed.poll()
  t.strictSame(lines, [])
})

t.test('a feed that cannot read logs that once, and once when it can again', async (t) => {
  const db = await openAuthDatabase(t)
  const nowhere = openNowhere(t)
  const { log, lines } = openLog()
  const target = { db: db as Pick<typeof db, 'query'> }
  const feed = new RevocationFeed({
    db: { query: (text, values) => target.db.query(text, values) },
    clock: new DatabaseClock(),
    revocations: new RecentRevocations(),
    log,
  })
  await feed.load()
  target.db = nowhere
  const startedAt = performance.now()
  while (performance.now() - startedAt < 3000) {
    await feed.poll()
    if (performance.now() - startedAt < 2000) t.ok(feed.isFollowing(), 'one failure is no silence')
    await sleep(200)
  }
  t.notOk(feed.isFollowing())
  target.db = db
  await feed.poll()
  t.ok(feed.isFollowing())
  t.strictSame(
    lines.map(({ msg }) => msg),
    [
      'cannot follow revocations: asking the database about each token',
      'following revocations again',
    ],
  )
})

t.test('what is older than an hour is pruned, by any number of processes', async (t) => {
  const db = await openAuthDatabase(t)
  await db.query(
    `INSERT INTO auth.revocations (token_hash, revoked_at)
     SELECT sha256(n::text::bytea),
            now() - CASE WHEN n <= 3500 THEN interval '61 minutes' ELSE interval '59 minutes' END
       FROM generate_series(1, 3600) n`,
  )
  const counts = await Promise.all([1, 2, 3, 4].map(() => pruneRevocations(db)))
  await pruneRevocations(db)
  const [left] = await db.query<{ count: number }>('SELECT count(*) FROM auth.revocations')
  t.equal(left?.count, 100)
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    3500,
  )
})
