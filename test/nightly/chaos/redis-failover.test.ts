import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { timeUntil } from '../../support/load.ts'
import { redisCommand, redisIsMissing, startRedis } from '../../support/redis.ts'
import { prepareLoad } from './known-callers.ts'

/** How soon the promoted replica is used. */
const resumedMs = 2000

/** How long the load goes on after that. */
const afterMs = 2000

t.test('a replica of Redis is promoted', { skip: redisIsMissing, timeout: 300_000 }, async (t) => {
  const database = await createTestDatabase(t)
  let redis = await startRedis()
  t.teardown(() => redis.stop())
  // Stands for a name or a proxy that moves to the promoted one.
  const proxy = await startFaultProxy(t, redis.port)
  const { auths, ...fleet } = await startFleet(t, {
    databaseUrl: database.url,
    redisUrl: `redis://${proxy.address}`,
    auths: 2,
    gateways: 2,
  })
  const { during } = await prepareLoad({ auths, ...fleet })
  const entries = () => redisCommand(redis.port, 'KEYS', '*:tok?:*')
  const hasEntries = async () => (await entries()).length > 0

  /** What becomes of the primary. */
  const losses: Readonly<Record<string, (promotedPort: number) => Promise<unknown>>> = {
    killed: () => redis.stop(),
    // Its connections stay open, and it answers READONLY.
    'made the replica': (port) => redisCommand(redis.port, 'REPLICAOF', '127.0.0.1', String(port)),
  }
  for (const [how, lose] of Object.entries(losses)) {
    await t.test(`and the primary ${how}: nothing fails`, async (t) => {
      const old = redis
      const replica = await startRedis()
      await redisCommand(replica.port, 'REPLICAOF', '127.0.0.1', String(old.port))
      await waitFor(async () => {
        const state = await redisCommand(replica.port, 'INFO', 'replication')
        return state.join().includes('master_link_status:up')
      })
      let resumed = Number.NaN
      const measured = await during(async () => {
        await waitFor(hasEntries)
        await redisCommand(replica.port, 'REPLICAOF', 'NO', 'ONE')
        await lose(replica.port)
        // What is there from now on shows that it is used.
        await redisCommand(replica.port, 'FLUSHALL')
        proxy.redirect(replica.port)
        redis = replica
        resumed = await timeUntil(hasEntries, 10_000)
        await sleep(afterMs)
      })
      await old.stop()
      t.comment(`${JSON.stringify(measured.outcomes)}; p99 ${measured.p99()} ms`)
      const what = `failover, primary ${how}`
      figure(t, 'R-4', `${what}: failed requests`, { atMost: 0 }, wrongOf(measured.outcomes))
      figure(t, 'R-4', `${what}: used after`, { atMost: resumedMs, unit: 'ms' }, resumed)
    })
  }
  t.strictSame(
    auths.flatMap(({ lines }) => lines.filter(({ level }) => level === 'fatal')),
    [],
  )
})
