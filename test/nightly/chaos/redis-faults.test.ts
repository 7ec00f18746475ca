import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { timeUntil } from '../../support/load.ts'
import { residentMiB } from '../../support/process-stats.ts'
import { redisCommand, redisIsMissing, startRedis } from '../../support/redis.ts'
import { slopeOf } from '../../support/trend.ts'
import { prepareLoad } from './known-callers.ts'

/** How long Redis is down, unless the environment says less; and how long it hangs. */
const downMs = Number(process.env.OUTAGE_SECONDS ?? 60) * 1000
const hungMs = downMs / 2

/** How often it goes and comes back, and how long it stays. */
const flaps = downMs / 1000
const flapMs = 1000

/** How long the usual is measured. */
const baselineForMs = Math.min(30_000, downMs)

/** How much slower the slowest hundredth may become: at first, until it is given up, and then. */
const slower = { atFirstMs: 60, laterMs: 10 }

/** How soon it is used again when it is back. */
const resumedMs = 2000

/** How much the auth processes may grow in a minute of that, in MiB, when they have warmed up. */
const growthMiB = 1

const readsAfterHanging = 10_000

t.test(
  'whatever is the matter with Redis',
  { skip: redisIsMissing, timeout: 900_000 },
  async (t) => {
    const database = await createTestDatabase(t)
    let redis = await startRedis()
    const proxy = await startFaultProxy(t, redis.port)
    t.teardown(() => redis.stop())
    const fleet = await startFleet(t, {
      databaseUrl: database.url,
      redisUrl: `redis://${proxy.address}`,
      auths: 2,
      gateways: 2,
      // So little that garbage is collected many times a minute, and what grows is no garbage.
      envOf: { auth: { NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=1' } },
    })
    const { urls, auths } = fleet
    const { callers, ask, during } = await prepareLoad(fleet)
    const entries = async () => await redisCommand(redis.port, 'KEYS', '*:tok?:*')
    const lookups = async () => {
      const [row] = await database.query<{ count: string }>(
        `SELECT sum(idx_scan) AS count FROM pg_stat_user_indexes
        WHERE schemaname = 'auth' AND relname = 'authentications'`,
      )
      return Number(row?.count)
    }
    const right = ['right']
    await during(() => sleep(10_000))
    const usual = await during(() => sleep(baselineForMs))
    const baselineMs = usual.p99()
    t.comment(`with Redis: ${JSON.stringify(usual.outcomes)}; p99 ${baselineMs} ms`)
    t.strictSame(Object.keys(usual.outcomes), right)

    await t.test(`killed for ${downMs} ms: nothing fails`, async (t) => {
      const before = await lookups()
      const measured = await during(async () => {
        await redis.stop()
        await sleep(downMs)
      })
      const perSecond = ((await lookups()) - before) / (downMs / 1000)
      redis = await startRedis({ port: redis.port })
      let resumed = Number.NaN
      await during(async () => {
        resumed = await timeUntil(async () => (await entries()).length > 0, 10_000)
      })
      const p99 = measured.p99()
      t.comment(`${JSON.stringify(measured.outcomes)}; p99 ${p99} ms`)
      t.comment(`${Math.round(perSecond)} lookups in the database a second; back in ${resumed} ms`)
      figure(t, 'R-1', 'failed requests', { atMost: 0 }, wrongOf(measured.outcomes))
      const later = { atMost: slower.laterMs, unit: 'ms' }
      figure(t, 'R-1', 'p99 above the usual', later, p99 - baselineMs)
      const most = { atMost: callers.length * auths.length }
      figure(t, 'R-1', 'lookups in the database a second', most, perSecond)
      figure(t, 'R-1', 'used again after', { atMost: resumedMs, unit: 'ms' }, resumed)
    })

    await t.test(`stopped for ${hungMs} ms: nothing fails`, async (t) => {
      const measured = await during(async () => {
        process.kill(redis.pid, 'SIGSTOP')
        await sleep(hungMs)
        process.kill(redis.pid, 'SIGCONT')
      })
      const atFirst = measured.p99(0, 1000)
      const later = measured.p99(1000)
      t.comment(`${JSON.stringify(measured.outcomes)}; p99 ${atFirst} ms, then ${later} ms`)
      figure(t, 'R-2', 'failed requests', { atMost: 0 }, wrongOf(measured.outcomes))
      const bound = (atMost: number) => ({ atMost, unit: 'ms' })
      const above = 'p99 above the usual'
      figure(t, 'R-2', `${above}, first second`, bound(slower.atFirstMs), atFirst - baselineMs)
      figure(t, 'R-2', `${above}, later`, bound(slower.laterMs), later - baselineMs)
    })

    await t.test(
      `none of ${readsAfterHanging} reads after that gets another's answer`,
      async (t) => {
        const outcomes: Record<string, number> = {}
        let left = readsAfterHanging
        const work = async () => {
          for (; left > 0; left -= 1) {
            const outcome = await ask()
            outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
          }
        }
        await Promise.all(Array.from({ length: 16 }, work))
        const what = `answers of others in ${readsAfterHanging} reads`
        figure(t, 'R-2', what, { atMost: 0 }, wrongOf(outcomes))
      },
    )

    await t.test(`gone and back ${flaps} times: nothing fails, nothing grows`, async (t) => {
      const sizes: { minutes: number; size: number }[] = []
      const startedAt = performance.now()
      const measured = await during(async () => {
        for (let i = 0; i < flaps; i += 1) {
          proxy.set('cut')
          await sleep(flapMs)
          proxy.set('none')
          await sleep(flapMs)
          const minutes = (performance.now() - startedAt) / 60_000
          if (i >= flaps / 2)
            sizes.push({ minutes, size: auths.map(residentMiB).reduce((sum, size) => sum + size) })
        }
      })
      const growth = slopeOf(sizes.map(({ minutes, size }) => [minutes, size]))
      const clients = await redisCommand(redis.port, 'CLIENT', 'LIST')
      const connections = clients
        .join('')
        .split('\n')
        .filter((line) => /name=auth/.test(line)).length
      t.comment(`${JSON.stringify(measured.outcomes)}; p99 ${measured.p99()} ms`)
      t.comment(`${growth.toFixed(2)} MiB a minute; ${connections} connections`)
      figure(
        t,
        'R-3',
        `failed requests in ${flaps} times`,
        { atMost: 0 },
        wrongOf(measured.outcomes),
      )
      const most = { atMost: growthMiB, unit: 'MiB' }
      figure(t, 'R-3', 'growth a minute of a replica', most, growth / auths.length)
      figure(t, 'R-3', 'connections a replica', { atMost: 2 }, connections / auths.length)
    })

    const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
    const set = (key: string, value: string) => redisCommand(redis.port, 'SET', key, value)
    /** What is done to Redis again and again while it is in use. */
    const mischief: Readonly<Record<string, () => Promise<unknown>>> = {
      emptied: () => redisCommand(redis.port, 'FLUSHALL'),
      async 'filled with other things under the same names'() {
        for (const key of await entries()) {
          await redisCommand(redis.port, 'DEL', key)
          await redisCommand(redis.port, 'LPUSH', key, 'x')
        }
      },
      async 'filled with entries in the wrong places'() {
        const keys = await entries()
        const values = await Promise.all(keys.map((key) => redisCommand(redis.port, 'GET', key)))
        for (const [i, key] of keys.entries()) await set(key, values[i - 1]?.[0] ?? 'x')
      },
      async 'filled with what is no entry at all'() {
        for (const key of await entries()) await set(key, `${'A'.repeat(43)}.{"record":{}}`)
      },
    }
    for (const [name, act] of Object.entries(mischief)) {
      await t.test(`${name}: nothing fails`, async (t) => {
        const measured = await during(async () => {
          for (let i = 0; i < 50; i += 1) {
            await act().catch((error: Error) => {
              // Between looking and writing, another writer may have written something else.
              if (!error.message.startsWith('WRONGTYPE')) throw error
            })
            await sleep(100)
          }
        })
        t.comment(JSON.stringify(measured.outcomes))
        figure(t, 'R-4', `${name}: failed`, { atMost: 0 }, wrongOf(measured.outcomes))
      })
      await redisCommand(redis.port, 'FLUSHALL')
    }

    await t.test('no entry that another writer wrote is accepted', async (t) => {
      await during(() => sleep(2000))
      const [key = ''] = await entries()
      const prefix = key.slice(0, key.lastIndexOf(':') + 1)
      const [genuine = ''] = await redisCommand(redis.port, 'GET', key)
      const content = genuine.slice(genuine.indexOf('.') + 1)
      const mac = genuine.slice(0, genuine.indexOf('.'))
      const forgeries = [
        genuine,
        `.${content}`,
        content,
        `${mac}=.${content}`,
        `${mac}.${content} `,
      ]
      const accepted: string[] = []
      let tried = 0
      for (let round = 0; round < 40; round += 1) {
        for (const [i, forgery] of forgeries.entries()) {
          const token = `unknown-${round}-${i}`
          await set(prefix + hashOf(token), forgery)
          const headers = { authorization: `Bearer ${token}` }
          const url = urls[tried % urls.length] ?? urls[0]
          const { status, text } = await call(url, 'GET', '/auth/v1/self', undefined, headers)
          tried += 1
          // Who tries so many in a row is asked to wait.
          if (status !== 401 && status !== 429) accepted.push(`${status} ${forgery} ${text}`)
        }
      }
      t.comment(`${tried} forged entries, ${accepted.length} accepted`)
      t.strictSame(accepted, [])
      figure(t, 'R-4', `accepted of ${tried} forged entries`, { atMost: 0 }, accepted.length)
    })

    const server = () => startRedis()
    const conditions: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
      async 'out of memory'() {
        await redisCommand(redis.port, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
        await redisCommand(redis.port, 'CONFIG', 'SET', 'maxmemory', '1mb')
        return () => redisCommand(redis.port, 'CONFIG', 'SET', 'maxmemory', '0')
      },
      async 'the read-only replica of another'() {
        const other = await server()
        await redisCommand(redis.port, 'REPLICAOF', '127.0.0.1', String(other.port))
        return async () => {
          await redisCommand(redis.port, 'REPLICAOF', 'NO', 'ONE')
          await other.stop()
        }
      },
      async 'the replica of one that is gone'() {
        await redisCommand(redis.port, 'CONFIG', 'SET', 'replica-serve-stale-data', 'no')
        await redisCommand(redis.port, 'REPLICAOF', '127.0.0.1', '1')
        return () => redisCommand(redis.port, 'REPLICAOF', 'NO', 'ONE')
      },
    }
    for (const [name, begin] of Object.entries(conditions)) {
      await t.test(`${name}: nothing fails`, async (t) => {
        const measured = await during(async () => {
          const end = await begin()
          await sleep(5000)
          await end()
          await sleep(2000)
        })
        t.comment(`${JSON.stringify(measured.outcomes)}; p99 ${measured.p99()} ms`)
        figure(t, 'R-4', `${name}: failed`, { atMost: 0 }, wrongOf(measured.outcomes))
      })
    }
    t.strictSame(
      auths.flatMap(({ lines }) => lines.filter(({ level }) => level === 'fatal')),
      [],
    )
  },
)
