import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import type { Test } from '../../support/listen.ts'
import { startPostgresServer } from '../../support/postgres-server.ts'
import { redisCommand, startRedis } from '../../support/redis.ts'

/** What can be broken, and heals after a few seconds. */
export interface SoakFault {
  /** Its row. */
  readonly row: string
  readonly name: string
  /** Whether what needs the database may be refused meanwhile. */
  readonly isOfDatabase: boolean
  /** Breaks it, waits, and heals it. */
  suffer(forMs: number): Promise<void>
}

/** A PostgreSQL and a Redis, and every way in which the rows break them. */
export async function startFaultyServers(t: Test) {
  const postgres = await startPostgresServer(t)
  let redis = await startRedis()
  const toPostgres = await startFaultProxy(t, postgres.port)
  const toRedis = await startFaultProxy(t, redis.port)
  t.teardown(() => redis.stop())
  // One that has just hung may be too slow: then this fault is a smaller one.
  const command = (...words: [string, ...string[]]) =>
    redisCommand(redis.port, ...words).catch(() => [])

  const ofRedis: Readonly<Record<string, readonly [string, SoakFault['suffer']]>> = {
    'Redis is killed': [
      'R-1',
      async (forMs) => {
        await redis.stop()
        await sleep(forMs)
        redis = await startRedis({ port: redis.port })
      },
    ],
    'Redis hangs': [
      'R-2',
      async (forMs) => {
        process.kill(redis.pid, 'SIGSTOP')
        await sleep(forMs)
        process.kill(redis.pid, 'SIGCONT')
      },
    ],
    'Redis flaps': ['R-3', (forMs) => flap(toRedis, forMs)],
    'Redis loses all': [
      'R-4',
      async (forMs) => {
        for (let passedMs = 0; passedMs < forMs; passedMs += 500) {
          await command('FLUSHALL')
          await sleep(500)
        }
      },
    ],
    'Redis is out of memory': [
      'R-4',
      async (forMs) => {
        await command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
        await command('CONFIG', 'SET', 'maxmemory', '1mb')
        await sleep(forMs)
        for (let said = ''; said !== 'OK'; await sleep(100)) {
          said = `${await command('CONFIG', 'SET', 'maxmemory', '0')}`
        }
      },
    ],
  }
  const ofPostgres: Readonly<Record<string, readonly [string, SoakFault['suffer']]>> = {
    'PostgreSQL is killed': [
      'R-5',
      async (forMs) => {
        await postgres.kill()
        await sleep(forMs)
        await postgres.restart()
      },
    ],
    'PostgreSQL hangs': [
      'R-6',
      async (forMs) => {
        postgres.hang()
        await sleep(forMs)
        postgres.resume()
      },
    ],
    'PostgreSQL is slow': [
      'R-6',
      async (forMs) => {
        toPostgres.set({ delayMs: 300 })
        await sleep(forMs)
        toPostgres.set('none')
      },
    ],
  }
  const toFaults = (all: typeof ofRedis, isOfDatabase: boolean) =>
    Object.entries(all).map(
      ([name, [row, suffer]]): SoakFault => ({ row, name, isOfDatabase, suffer }),
    )

  const databaseUrl = new URL(postgres.url)
  databaseUrl.host = toPostgres.address
  return {
    databaseUrl: databaseUrl.href,
    redisUrl: `redis://${toRedis.address}`,
    faults: [...toFaults(ofRedis, false), ...toFaults(ofPostgres, true)],
  }
}

async function flap(link: FaultProxy, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 1000) {
    link.set('cut')
    await sleep(500)
    link.set('none')
    await sleep(500)
  }
}
