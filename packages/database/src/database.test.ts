import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ConstraintViolation } from './errors.ts'
import { formatInstant } from './instant.ts'
import { createTestDatabase } from './testing.ts'

t.test('query', async (t) => {
  const db = await createTestDatabase(t)

  await t.test('binds parameters and returns rows', async (t) => {
    const rows = await db.query('SELECT $1::text AS name, $2::int AS size', ["o'clock", 3])
    t.strictSame(rows, [{ name: "o'clock", size: 3 }])
  })

  await t.test(
    'keeps the microseconds of an instant, whatever the zone of this machine',
    async (t) => {
      const instant = { seconds: 1767323045, nanos: 678901000 }
      const [row] = await db.query<{ at: unknown; zone: string; json: { at: string } }>(
        `SELECT $1::timestamptz AS at, current_setting('TimeZone') AS zone,
              json_build_object('at', $1::timestamptz) AS json`,
        [formatInstant(instant)],
      )
      t.strictSame(row?.at, instant)
      t.equal(row?.zone, 'UTC')
      t.equal(row?.json.at, '2026-01-02T03:04:05.678901+00:00')
    },
  )

  await t.test('returns bigints as numbers, unless they are too large for one', async (t) => {
    const largest = Number.MAX_SAFE_INTEGER
    t.strictSame(await db.query('SELECT $1::bigint AS n', [largest]), [{ n: largest }])
    await t.rejects(db.query('SELECT 9007199254740993::bigint AS n'), RangeError)
    t.strictSame(await db.query('SELECT 1 AS n'), [{ n: 1 }], 'and works afterwards')
  })

  await t.test('throws the error of a bad statement unchanged', async (t) => {
    await t.rejects(db.query('SELECT nonsense'), { code: '42703' })
  })
})

t.test('a violated constraint', async (t) => {
  const db = await createTestDatabase(t)
  await db.query(`CREATE TABLE parents (key text CONSTRAINT parents_key PRIMARY KEY)`)
  await db.query(`CREATE TABLE children (
    key text NOT NULL CONSTRAINT children_key_short CHECK (length(key) < 5),
    parent text CONSTRAINT children_parent REFERENCES parents ON DELETE RESTRICT)`)
  await db.query(`INSERT INTO parents VALUES ('p')`)
  await db.query(`INSERT INTO children VALUES ('c', 'p')`)

  const cases = [
    ['unique', 'parents_key', `INSERT INTO parents VALUES ('p')`],
    ['foreign_key', 'children_parent', `INSERT INTO children VALUES ('c', 'q')`],
    ['foreign_key', 'children_parent', `DELETE FROM parents`],
    ['check', 'children_key_short', `INSERT INTO children VALUES ('too long', 'p')`],
    ['not_null', 'key', `INSERT INTO children VALUES (NULL, 'p')`],
  ] as const
  for (const [kind, constraint, statement] of cases) {
    await t.test(`${statement} has a kind and a name`, async (t) => {
      const error = await db.query(statement).catch((error: unknown) => error)
      t.type(error, ConstraintViolation)
      t.match(error, { kind, constraint })
    })
  }

  await t.test('leaves the connection usable', async (t) => {
    const backend = () => db.query('SELECT pg_backend_pid() AS pid')
    const before = await backend()
    for (let i = 0; i < 20; i += 1) await db.query(cases[0][2]).catch(() => {})
    t.strictSame(await backend(), before)
  })
})

t.test('transaction', async (t) => {
  const db = await createTestDatabase(t)
  await db.query('CREATE TABLE notes (text text UNIQUE DEFERRABLE INITIALLY DEFERRED)')
  const notes = () => db.query('SELECT text FROM notes')

  await t.test('commits the work and returns its result', async (t) => {
    const result = await db.transaction(async (tx) => {
      await tx.query(`INSERT INTO notes VALUES ('kept')`)
      t.strictSame(await notes(), [], 'not visible before')
      return 'done'
    })
    t.equal(result, 'done')
    t.strictSame(await notes(), [{ text: 'kept' }])
  })

  await t.test('rolls back when its work throws, and throws the same', async (t) => {
    const failure = new Error('changed my mind')
    const work = db.transaction(async (tx) => {
      await tx.query(`INSERT INTO notes VALUES ('dropped')`)
      throw failure
    })
    await t.rejects(work, failure)
    t.strictSame(await notes(), [{ text: 'kept' }])
  })

  await t.test('reports a constraint that is checked at commit', async (t) => {
    const work = db.transaction((tx) => tx.query(`INSERT INTO notes VALUES ('kept')`))
    await t.rejects(work, { name: 'ConstraintViolation', kind: 'unique' })
  })

  await t.test('throws when an ignored error has rolled it back', async (t) => {
    const work = db.transaction(async (tx) => {
      await tx.query(`INSERT INTO notes VALUES ('lost')`)
      await tx.query('SELECT nonsense').catch(() => {})
    })
    await t.rejects(work, /rolled back/)
    t.strictSame(await notes(), [{ text: 'kept' }])
  })

  await t.test('throws the error that came first, whichever reaches its work first', async (t) => {
    const work = db.transaction(async (tx) => {
      const first = tx.query('SELECT 1 / 0').finally(() => sleep(20))
      await Promise.all([first, tx.query('SELECT 1 AS one')])
    })
    await t.rejects(work, { code: '22012' })
    await t.rejects(
      db.transaction(async (tx) => {
        await tx.query('SELECT 1 / 0').catch(() => {})
        await tx.query('SELECT 1 AS one')
      }),
      { code: '22012' },
    )
  })

  await t.test('refuses statements once it has ended', async (t) => {
    const tx = await db.transaction(async (tx) => ({ tx }))
    await t.rejects(tx.tx.query('SELECT 1'), /ended/)
  })

  await t.test('sends statements of one turn without waiting in between', async (t) => {
    const statement = `SELECT extract(epoch FROM clock_timestamp())::float8 AS at FROM pg_sleep(0.02)`
    const answers = await db.transaction(async (tx) => {
      const given = [1, 2, 3].map(() => tx.query<{ at: number }>(statement))
      await sleep(5)
      // For so long this process neither reads an answer nor sends anything.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
      return Promise.all(given)
    })
    const [first = 0, , last = Number.NaN] = answers.flat().map(({ at }) => at)
    t.ok(last - first < 0.9, `the third ran ${last - first} s after the first`)
  })

  await t.test('rolls back when one of several concurrent statements fails', async (t) => {
    const work = db.transaction((tx) =>
      Promise.all([
        tx.query(`INSERT INTO notes VALUES ('before')`),
        tx.query('SELECT nonsense'),
        tx.query(`INSERT INTO notes VALUES ('after')`),
      ]),
    )
    await t.rejects(work, { code: '42703' })
    t.strictSame(await notes(), [{ text: 'kept' }])
    t.strictSame(await db.query('SELECT 1 AS n'), [{ n: 1 }], 'and works afterwards')
  })

  await t.test('writes nothing when it is read-only', async (t) => {
    const work = db.transaction((tx) => tx.query(`INSERT INTO notes VALUES ('no')`), {
      readOnly: true,
    })
    await t.rejects(work, { code: 'unavailable', cause: { code: '25006' } })
    t.strictSame(await notes(), [{ text: 'kept' }])
  })

  await t.test('sees the data of one moment when it is read-only', async (t) => {
    const seen = await db.transaction(
      async (tx) => {
        const before = await tx.query('SELECT text FROM notes')
        await db.query(`INSERT INTO notes VALUES ('new')`)
        return [before, await tx.query('SELECT text FROM notes')]
      },
      { readOnly: true },
    )
    t.strictSame(seen, [[{ text: 'kept' }], [{ text: 'kept' }]])
  })

  await t.test('is unavailable after a conflict, and when the server is in trouble', async (t) => {
    for (const code of ['40001', '40P01', '53300', '58030']) {
      const work = db.transaction((tx) => tx.query(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`))
      await t.rejects(work, { code: 'unavailable', cause: { code } })
    }
  })

  await t.test('leaves all connections usable', async (t) => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => db.query<{ n: number }>('SELECT 1 AS n')),
    )
    t.equal(all.length, 20)
    const open = await db.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    )
    t.equal(open.length, 0)
  })
})
