import { createTestDatabase, type TestDatabase } from '@svc/database/testing'
import { type Fleet, startFleet } from '@svc/test/support/fleet'
import { onBothCores } from '@svc/test/support/machine'
import { releasedCommit } from '@svc/test/support/releases'
import { openBaseline } from './baseline.ts'
import { type Latency, measureLatency } from './load/latency.ts'
import { type Question, requestBytes } from './load/question.ts'
import { alternate, type Compared, medianOf } from './load/statistics.ts'
import type { Row, Run } from './row.ts'
import { flagCount, flagsPath, keyOf, makeFlags } from './writes/flags.ts'

/** The release that has no log of changes. */
const baselineCommit = releasedCommit('1.0.0')

const usual = { rounds: 12, requests: 400, warmUp: 1500 }
const quick = { rounds: 4, requests: 200, warmUp: 400 }

interface Side {
  readonly database: TestDatabase
  readonly fleet: Fleet
  /** Each changes its flag. */
  readonly updates: Iterator<Question, never>
}

/** What an update of a flag takes with the log of changes, over what it takes without, and what is kept. */
export async function measureWrites(run: Run): Promise<readonly Row[]> {
  const baseline = await openBaseline(baselineCommit, run.say)
  const before = await startSide(run, baseline.startFleet)
  const now = await startSide(run, startFleet)
  const { rounds, requests, warmUp } = run.quick ? quick : usual
  const size = await readLog(now.database)
  for (const side of [before, now]) await measure(side, warmUp)
  const compared = await alternate(
    rounds,
    () => measure(before, requests),
    () => measure(now, requests),
    ({ p50 }) => p50,
  )
  return [toRow(compared), toSizeRow(size, await readLog(now.database))]
}

async function startSide(run: Run, start: typeof startFleet): Promise<Side> {
  const database = await createTestDatabase(run)
  const fleet = await onBothCores(() => start(run, { databaseUrl: database.url }))
  await makeFlags(fleet)
  return { database, fleet, updates: updatesOf(fleet) }
}

/** One after the other: latency is what is measured, and not how much fits beside each other. */
function measure({ fleet, updates }: Side, requests: number): Promise<Latency> {
  const [{ port } = { port: 0 }] = fleet.gateways
  return measureLatency(port, updates, requests)
}

function* updatesOf({ token }: Fleet): Generator<Question, never> {
  for (let number = 0; ; number += 1) {
    const name = `Flag ${number}`
    const request = {
      method: 'PUT',
      path: `${flagsPath}/${keyOf(number % flagCount)}`,
      authorization: `Bearer ${token}`,
      body: { name, enabled: number % 2 === 0 },
    } as const
    yield {
      bytes: requestBytes(request),
      check(body) {
        if ((JSON.parse(body) as { name: string }).name !== name) throw new Error(body)
      },
    }
  }
}

interface LogSize {
  readonly changes: number
  readonly bytes: number
}

async function readLog(database: TestDatabase): Promise<LogSize> {
  const [row] = await database.query<LogSize>(
    `SELECT (SELECT count(*) FROM resource.changes) AS changes,
            pg_total_relation_size('resource.changes')
            + pg_total_relation_size('resource.change_items') AS bytes`,
  )
  if (row === undefined) throw new Error('there is no log')
  return row
}

function toRow({ a, b, ratio }: Compared<Latency>): Row {
  const pair = (name: 'p50' | 'p99') =>
    [b, a].map((side) => medianOf(side, name).toFixed(2)).join('/')
  return {
    id: 'writes.update',
    ratio,
    target: { atMost: 1.6 },
    what: 'median time of an update of a flag, over that without the log of changes',
    detail: `p50 ${pair('p50')} ms, p99 ${pair('p99')} ms`,
  }
}

function toSizeRow(before: LogSize, after: LogSize): Row {
  const changes = after.changes - before.changes
  return {
    id: 'writes.bytes-per-change',
    ratio: (after.bytes - before.bytes) / changes,
    unit: 'bytes',
    what: 'disk that the log takes for each change of a flag with 3 variants, rules and 9 shares',
    detail: `${((after.bytes - before.bytes) / 2 ** 20).toFixed(1)} MiB for ${changes} changes`,
  }
}
