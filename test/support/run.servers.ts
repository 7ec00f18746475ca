import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@svc/local/postgres'
import { findProcess } from '@svc/local/processes'
import { pgbouncerOf, startPgBouncer } from './pgbouncer.ts'
import { startRedis } from './redis.ts'
import { ensureInstalled, redisPackage } from './system-packages.ts'

export interface TestServers {
  /** How the tests find them. */
  readonly env: Readonly<Record<string, string>>
  readonly hasRedis: boolean
  stop(): Promise<void>
}

/** For unit tests. */
export const noServers: TestServers = { env: {}, hasRedis: false, stop: async () => {} }

/** Those that the environment names already, as CI does for other versions, are used as they are. */
export async function startTestServers(say: (line: string) => void): Promise<TestServers> {
  const { SVC_TEST_DATABASE_URL, SVC_TEST_REDIS_URL } = process.env
  const [database, redis] = await Promise.all([
    SVC_TEST_DATABASE_URL === undefined ? startDatabase() : given(SVC_TEST_DATABASE_URL),
    SVC_TEST_REDIS_URL === undefined ? startRedisIfAny(say) : given(SVC_TEST_REDIS_URL),
  ])
  const pooler = await startPoolerIfAsked(database.url)
  return {
    env: {
      SVC_TEST_DATABASE_URL: database.url,
      ...(pooler === undefined ? {} : { SVC_TEST_POOLER_PORT: String(pooler.port) }),
      ...(redis === undefined ? {} : { SVC_TEST_REDIS_URL: redis.url }),
    },
    hasRedis: redis !== undefined,
    async stop() {
      await pooler?.stop()
      await Promise.all([database.stop(), redis?.stop()])
    },
  }
}

function given(url: string) {
  return { url, stop: async () => {} }
}

async function startDatabase() {
  removeLeftovers()
  const directory = mkdtempSync(join(parentDirectory(), `svc-test-${process.pid}-`))
  const postgres = await startPostgres({ directory, durable: false })
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A file system in memory, where there is one. */
const memory = '/dev/shm'

/** Room that the databases of a run need: six times what they were seen to take. */
const neededBytes = 2 ** 30

/** In memory a run takes less time: nearly each of its tests makes a database, of some hundred files. */
function parentDirectory(): string {
  if (!existsSync(memory) || freemem() < 2 * neededBytes) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize < neededBytes ? tmpdir() : memory
}

/** Removes what runs that were killed left behind. */
function removeLeftovers(): void {
  for (const parent of [tmpdir(), memory].filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const pid = /^svc-test-(\d+)-/.exec(name)?.[1]
      if (pid === undefined || findProcess(Number(pid)) !== undefined) continue
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/** With `SVC_TEST_POOLER=1`, the services of the tests reach their databases by way of a PgBouncer. */
async function startPoolerIfAsked(serverUrl: string) {
  if (process.env.SVC_TEST_POOLER !== '1') return undefined
  const command = pgbouncerOf('trixie')
  if (command === undefined) throw new Error('the packages of PgBouncer cannot be had')
  return startPgBouncer({ serverUrl, command })
}

async function startRedisIfAny(say: (line: string) => void) {
  if (ensureInstalled(redisPackage, say)) return startRedis()
  say('')
  say('!! redis-server is not installed, so THE TESTS THAT NEED REDIS ARE SKIPPED.')
  say('!! Install it first: apt-get install redis-server, or brew install redis.')
  say('')
  return undefined
}
