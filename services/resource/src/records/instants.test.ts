import { openTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { migrations, schema } from '../schema.ts'
import { microseconds, toInstant } from './instants.ts'

t.test('an instant is read to the microsecond until the year 2106', async (t) => {
  const db = await openTestDatabase(t, { [schema]: migrations })
  const rows = await db.query<{ read: number; exact: number }>(
    `SELECT ${microseconds('instant')} AS read, (extract(epoch FROM instant) * 1e6)::bigint AS exact
       FROM (SELECT '1970-01-01T00:00:00Z'::timestamptz
                    + (random() * 4290000000)::bigint * interval '1 second'
                    + (random() * 999999)::bigint * interval '1 microsecond' AS instant
               FROM generate_series(1, 20000)) AS instants`,
  )
  t.equal(rows.length, 20_000)
  t.strictSame(
    rows.filter(({ read, exact }) => read !== exact),
    [],
  )
})

t.test('microseconds become seconds and nanoseconds', async (t) => {
  t.strictSame(toInstant(1_763_800_000_123_456), { seconds: 1_763_800_000, nanos: 123_456_000 })
  t.strictSame(toInstant(0), { seconds: 0, nanos: 0 })
  t.strictSame(toInstant(-1), { seconds: -1, nanos: 999_999_000 })
})
