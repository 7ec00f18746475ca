import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { redisIsMissing, startRedis } from '../support/redis.ts'

const trials = 200

/** How long a deleted token may still be accepted, at most, in milliseconds. */
const limits = { withRedis: 250, withoutRedis: 2000 }

t.test('a deleted token is refused by every gateway', { skip: redisIsMissing }, async (t) => {
  const database = await createTestDatabase(t)
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const { urls, api } = await startFleet(t, {
    databaseUrl: database.url,
    redisUrl: redis.url,
    auths: 2,
    gateways: 2,
  })
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', '/api/v1/namespaces/default/flags', flag)
  await sleep(1500)

  const evaluate = async (url: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await call(url, 'POST', '/evaluate/v1/boolean', { flagKey: 'on' }, headers)).status
  }

  /** @returns how long after the acknowledgement the last gateway still took the token */
  async function revokeOnce(): Promise<number> {
    const created = await api('POST', '/auth/v1/method/token', { name: 'trial' })
    const { clientToken, authentication } = created.body as {
      clientToken: string
      authentication: { id: string }
    }
    for (const url of urls) {
      if ((await evaluate(url, clientToken)) !== 200) throw new Error('a new token was refused')
    }
    const deleted = await api('DELETE', `/auth/v1/tokens/${authentication.id}`)
    if (deleted.status !== 200) throw new Error(`deletion failed: ${deleted.text}`)
    const acknowledgedAt = performance.now()
    const delays = urls.map(async (url) => {
      for (;;) {
        const askedAt = performance.now()
        const status = await evaluate(url, clientToken)
        if (status === 401) return askedAt - acknowledgedAt
        if (status !== 200) throw new Error(`evaluation answered ${status}`)
        await sleep(5)
      }
    })
    return Math.max(...(await Promise.all(delays)))
  }

  async function revokeMany() {
    const delays: number[] = []
    for (let i = 0; i < trials; i++) delays.push(await revokeOnce())
    delays.sort((a, b) => a - b)
    const at = (share: number) => Math.round(delays[Math.ceil(share * trials) - 1] ?? 0)
    return { p50: at(0.5), p99: at(0.99), max: at(1) }
  }

  await t.test(`within ${limits.withRedis} ms`, async (t) => {
    const delays = await revokeMany()
    t.comment(`milliseconds after the acknowledgement: ${JSON.stringify(delays)}`)
    t.ok(delays.max <= limits.withRedis, `${delays.max} ms at most`)
  })

  await t.test(`within ${limits.withoutRedis} ms when Redis is killed`, async (t) => {
    process.kill(redis.pid, 'SIGKILL')
    const delays = await revokeMany()
    t.comment(`milliseconds after the acknowledgement: ${JSON.stringify(delays)}`)
    t.ok(delays.max <= limits.withoutRedis, `${delays.max} ms at most`)
  })
})
