import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { figure } from '../../support/figures.ts'
import { type Fleet, startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { quantile } from '../../support/load.ts'
import { type LocalRedis, redisCommand, redisIsMissing, startRedis } from '../../support/redis.ts'

/** With each fault. */
const trials = Number(process.env.REVOCATION_TRIALS ?? 1000)

/** As many as two gateways can be asked about without a wait that would be measured as well. */
const atOnce = 20

/** How often each gateway is asked about each token, in milliseconds. */
const probeIntervalMs = 25

/** How long a deleted token may still be accepted, in milliseconds: bounds B1 and B2. */
const limits = { usual: { p99: 250, max: 500 }, fault: { p99: 2000, max: 2000 } }

interface Fault {
  readonly row: string
  readonly limit: typeof limits.usual
  /** @returns what ends it */
  begin(fleet: Fleet, redis: LocalRedis): Promise<() => Promise<void>>
}

const faults: Readonly<Record<string, Fault>> = {
  'in normal operation': { row: 'R-REV-1', limit: limits.usual, begin: async () => async () => {} },

  'while no replica receives what Redis passes on': {
    row: 'R-REV-2',
    limit: limits.fault,
    begin: async (_fleet, { port }) =>
      repeat(20, () => redisCommand(port, 'CLIENT', 'KILL', 'TYPE', 'pubsub')),
  },

  'while Redis hangs': {
    row: 'R-REV-3',
    limit: limits.fault,
    async begin(_fleet, { pid }) {
      process.kill(pid, 'SIGSTOP')
      return async () => void process.kill(pid, 'SIGCONT')
    },
  },

  'while auth replicas are killed, one every three seconds': {
    row: 'R-REV-4',
    limit: limits.fault,
    async begin({ auths }) {
      let next = 0
      return repeat(3000, async () => {
        const auth = auths[next++ % auths.length]
        await auth?.kill()
        await auth?.restart()
      })
    },
  },

  'after Redis was killed': {
    row: 'R-REV-3',
    limit: limits.fault,
    async begin(_fleet, { pid }) {
      process.kill(pid, 'SIGKILL')
      return async () => {}
    },
  },
}

t.test('a deleted token is refused by every gateway', { skip: redisIsMissing }, async (t) => {
  t.setTimeout(1_200_000)
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const fleet = await startFleet(t, {
    redisUrl: redis.url,
    auths: 2,
    gateways: 2,
  })
  await createFlag(fleet.api)
  await sleep(1500)

  for (const [name, { row, limit, begin }] of Object.entries(faults)) {
    await t.test(`within ${limit.max} ms ${name}`, async (t) => {
      const end = await begin(fleet, redis)
      const delays = await revokeMany(fleet)
      await end()
      t.comment(`${trials} trials, ms after the acknowledgement: ${JSON.stringify(delays)}`)
      const bound = (atMost: number) => ({ atMost, unit: 'ms' })
      figure(t, row, `${name}: accepted for, p99`, bound(limit.p99), delays.p99)
      figure(t, row, `${name}: accepted for, of ${trials}`, bound(limit.max), delays.max)
    })
  }
})

async function revokeMany(fleet: Fleet) {
  const delays: number[] = []
  let begun = 0
  const revoking = Array.from({ length: atOnce }, async () => {
    while (begun++ < trials) delays.push(await revokeOnce(fleet))
  })
  await Promise.all(revoking)
  const at = (share: number) => Math.round(quantile(delays, share))
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** @returns how long after the acknowledgement the last gateway still took the token */
async function revokeOnce({ api, urls }: Fleet): Promise<number> {
  const created = await until200(() => api('POST', '/auth/v1/method/token', { name: 'trial' }))
  const { clientToken, authentication } = created.body as {
    clientToken: string
    authentication: { id: string }
  }
  const authorization = `Bearer ${clientToken}`
  const evaluate = (url: string) =>
    call(url, 'POST', '/evaluate/v1/boolean', { flagKey: 'on' }, { authorization })
  for (const url of urls) await until200(() => evaluate(url))
  await until200(() => api('DELETE', `/auth/v1/tokens/${authentication.id}`))
  const acknowledgedAt = performance.now()
  const delays = urls.map(async (url) => {
    let lastTakenMs = 0
    while (performance.now() - acknowledgedAt < 10_000) {
      const askedAt = performance.now()
      const { status } = await evaluate(url)
      if (status === 401) return lastTakenMs
      if (status === 200) lastTakenMs = askedAt - acknowledgedAt
      await sleep(probeIntervalMs)
    }
    return Number.POSITIVE_INFINITY
  })
  return Math.max(...(await Promise.all(delays)))
}

/** What is answered with 503 has not been acknowledged, and is tried again. */
async function until200<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await ask()
    if (answer.status === 200) return answer
    if (answer.status < 503) throw new Error(`answered ${answer.status}`)
    await sleep(100)
  }
  throw new Error('was not done')
}

/** @returns what ends it */
async function repeat(intervalMs: number, work: () => Promise<unknown>) {
  let isOver = false
  const repeating = (async () => {
    for (; !isOver; await sleep(intervalMs)) await work()
  })()
  return async () => {
    isOver = true
    await repeating
  }
}
