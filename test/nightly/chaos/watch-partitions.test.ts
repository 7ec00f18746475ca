import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '@svc/database'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import type { Fault } from '../../support/fault-proxy.ts'
import { figure } from '../../support/figures.ts'
import { addressOf, startFleet } from '../../support/fleet.ts'
import { openResourceChannel } from '../../support/internal.ts'
import { percentiles } from '../../support/load.ts'
import { openContents } from '../../support/namespace-content.ts'
import { createRandom } from '../../support/random.ts'
import { startWriters } from '../../support/random-changes.ts'
import { openWatcher, type Recovery } from './watch-partitions.watcher.ts'

const { pick } = createRandom(Date.now())

const watchers = 10
const namespaceKeys = ['default', 'one', 'two', 'three'] as const
const writesPerSecond = 40

/** How long after a partition has healed a replica may still lack something. */
const limitMs = 2000

/** Each watcher goes through all of these in an order of its own, and for the rest through short ones. */
const longPartitionsMs = [20_000, 10_000, 6000, 4000, 3000, 2500, 2000, 1500]
const partitionsEach = 20
const shortPartitionMs = 600

const faults: readonly Fault[] = ['cut', 'close', 'freeze', 'lose', { bytesPerSecond: 200 }]

/** A watcher that is disconnected for longer while something is deleted has to be sent everything. */
const tombstonesKeptMs = 3000

t.test('200 partitions of the stream of changes', { timeout: 280_000 }, async (t) => {
  const database = await createTestDatabase(t)
  const { api, resources } = await startFleet(t, { databaseUrl: database.url, resources: 2 })
  const direct = openResourceChannel(t, addressOf(resources))
  const contents = openContents(database, direct)
  for (const key of namespaceKeys) await api('POST', '/api/v1/namespaces', { key, name: key })
  const writing = startWriters(api, { namespaceKeys, perSecond: writesPerSecond })
  const pruning = setInterval(() => prune(database), 1000)
  t.teardown(async () => clearInterval(pruning))

  const recoveries: Recovery[] = []
  const watching = Array.from({ length: watchers }, async (_, index) => {
    // Half of them have one way to the service only; the others have two, of which one may do.
    const ports = resources.map(({ port }) => port).slice(index % 2)
    const watcher = await openWatcher(t, contents, ports)
    for (const forMs of partitionsOfOne()) {
      recoveries.push(
        await watcher.suffer(
          ports.map(() => pick(faults)),
          forMs,
        ),
      )
      await sleep(Math.random() * 500)
    }
    return watcher
  })
  const all = await Promise.all(watching)
  const statuses = await writing.stop()

  const took = percentiles(recoveries.map(({ tookMs }) => tookMs))
  t.comment(`writes by status: ${JSON.stringify(statuses)}`)
  t.comment(`until all was there again: ${took} ms`)
  t.equal(recoveries.length, watchers * partitionsEach)
  const slowest = Math.max(...recoveries.map(({ tookMs }) => tookMs))
  const most = { atMost: limitMs, unit: 'ms' }
  figure(t, 'R-21', `all is there again, ${recoveries.length} partitions`, most, slowest)
  t.strictSame(
    all.flatMap(({ differences }) => differences),
    [],
    'and it is what the management API says',
  )
  const violations = all.flatMap(({ differences, stepsBack }) => [...differences, ...stepsBack])
  const what = 'contents that differ, revisions that go back'
  figure(t, 'R-21', what, { atMost: 0 }, violations.length)
  const wholes = all.reduce((sum, watcher) => sum + watcher.wholes, 0)
  t.ok(wholes > watchers * namespaceKeys.length, `${wholes} times a namespace was sent whole`)
})

function partitionsOfOne(): number[] {
  const short = Array.from(
    { length: partitionsEach - longPartitionsMs.length },
    () => Math.random() * shortPartitionMs,
  )
  return [...longPartitionsMs, ...short]
    .map((ms) => ({ ms, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ ms }) => ms)
}

/** What the resource service does with tombstones that are an hour old. */
async function prune(db: Queryable): Promise<void> {
  await db
    .query(
      `WITH pruned AS (
         DELETE FROM resource.tombstones
          WHERE deleted_at < now() - $1 * interval '1 millisecond'
          RETURNING namespace_key, revision)
       UPDATE resource.namespaces AS n
          SET compacted_revision = greatest(compacted_revision, latest)
         FROM (SELECT namespace_key, max(revision) AS latest FROM pruned GROUP BY 1) AS p
        WHERE n.key = p.namespace_key`,
      [tombstonesKeptMs],
    )
    // Writers take their locks in another order; then it is the next time's turn.
    .catch(() => {})
}
