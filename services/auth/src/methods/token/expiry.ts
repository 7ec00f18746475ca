import { type Instant, type Queryable, readClock } from '@svc/database'

/** The time that is so many milliseconds from now, by the clock of the database. */
export async function timeIn(db: Queryable, milliseconds: number): Promise<Instant> {
  const ms = (await readClock(db)) + milliseconds
  const seconds = Math.floor(ms / 1000)
  return { seconds, nanos: Math.floor(ms - seconds * 1000) * 1_000_000 }
}
