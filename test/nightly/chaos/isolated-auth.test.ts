import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { createFlag, createToken } from '../../support/api.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { redisIsMissing, startRedis } from '../../support/redis.ts'
import { startServiceProcess } from '../../support/service-process.ts'

/** How often a replica is isolated, unless the environment says less. */
const trials = Number(process.env.ISOLATIONS ?? 50)

/** How long evaluation goes on without revocations, as the test sets it, and how long it is watched. */
const maxStaleSeconds = 10
const watchedMs = 14_000

/** How long after the isolation a credential may still be accepted: bound B3. */
const limits = { evaluation: 12_000, management: 6000 }

t.test(
  'an auth replica that reaches neither PostgreSQL nor Redis',
  { skip: redisIsMissing },
  async (t) => {
    t.setTimeout(60_000 + trials * 40_000)
    const database = await createTestDatabase(t)
    const redis = await startRedis()
    t.teardown(() => redis.stop())
    const url = new URL(database.url)
    const [toPostgres, toRedis] = await Promise.all([
      startFaultProxy(t, Number(url.port)),
      startFaultProxy(t, redis.port),
    ])
    url.host = toPostgres.address
    const { api, startGateway } = await startFleet(t, {
      databaseUrl: database.url,
      redisUrl: redis.url,
    })
    await createFlag(api)
    const isolated = await startServiceProcess(t, 'auth', {
      SVC_DB_URL: url.href,
      SVC_CACHE_REDIS_URL: `redis://${toRedis.address}`,
      SVC_AUTH_LISTEN: '127.0.0.1:0',
    })
    const gateway = await startGateway({
      SVC_AUTH_ADDRESS: `127.0.0.1:${isolated.port}`,
      SVC_CACHE_MAX_STALE: `${maxStaleSeconds}s`,
    })
    const questions = {
      evaluation: ['POST', '/evaluate/v1/boolean', { flagKey: 'on' }],
      management: ['GET', '/api/v1/namespaces/default/flags', undefined],
    } as const
    const ask = async (name: keyof typeof questions, authorization: string) => {
      const [method, path, body] = questions[name]
      return (await call(gateway.url, method, path, body, { authorization })).status
    }

    const accepted = { evaluation: 0, management: 0 }
    const statuses: Record<string, number> = {}
    for (let trial = 0; trial < trials; trial += 1) {
      const { id, authorization } = await createToken(api)
      for (const name of ['evaluation', 'management'] as const) {
        await waitFor(async () => (await ask(name, authorization)) === 200)
      }
      for (const link of [toPostgres, toRedis]) link.set('lose')
      const isolatedAt = performance.now()
      const passedMs = () => performance.now() - isolatedAt
      await api('DELETE', `/auth/v1/tokens/${id}`)
      for (; passedMs() < watchedMs; await sleep(100)) {
        for (const name of ['evaluation', 'management'] as const) {
          const askedMs = passedMs()
          const status = await ask(name, authorization)
          statuses[`${name} ${status}`] = (statuses[`${name} ${status}`] ?? 0) + 1
          if (status === 200) accepted[name] = Math.max(accepted[name], askedMs)
        }
      }
      for (const link of [toPostgres, toRedis]) link.set('none')
      const { authorization: next } = await createToken(api)
      await waitFor(async () => (await ask('management', next)) === 200)
      t.equal(await ask('evaluation', authorization), 401, 'and then it is refused for what it is')
    }
    t.comment(JSON.stringify(statuses))
    const bound = (name: keyof typeof limits) => ({ atMost: limits[name], unit: 'ms' })
    const what = (name: string) => `a deleted token is accepted for ${name}, of ${trials}`
    figure(t, 'R-REV-5', what('evaluation'), bound('evaluation'), accepted.evaluation)
    figure(t, 'R-REV-5', what('management'), bound('management'), accepted.management)
    t.ok(accepted.evaluation > 5000, 'evaluation goes on for a while')
  },
)
