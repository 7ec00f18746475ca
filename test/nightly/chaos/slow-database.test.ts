import t from 'tap'
import { createFlag, createToken } from '../../support/api.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { percentiles, startLoad, timeUntil } from '../../support/load.ts'
import { startPostgresServer } from '../../support/postgres-server.ts'

/** How long it hangs, or is slow: half of what the environment says, as outages last twice as long. */
const forMs = Number(process.env.OUTAGE_SECONDS ?? 60) * 500
/** In each direction: a write asks several times. */
const delayMs = 150

const evaluationsPerSecond = 100

/** How soon a request that cannot be done is answered, and how soon all is as before. */
const slowestMs = 3000
const recoveryMs = 3000

t.test('PostgreSQL', { timeout: 300_000 }, async (t) => {
  const postgres = await startPostgresServer(t)
  const link = await startFaultProxy(t, postgres.port)
  const url = new URL(postgres.url)
  url.host = link.address
  const { api } = await startFleet(t, { databaseUrl: url.href, auths: 2, resources: 2 })
  const flag = await createFlag(api)
  const { authorization } = await createToken(api)
  const ask = async (method: string, path: string, body: object, statuses: readonly number[]) => {
    const { status, text } = await api(method, path, body, { authorization })
    return statuses.includes(status) ? 'right' : `${status} ${text}`
  }
  const evaluate = () => ask('POST', '/evaluate/v1/boolean', { flagKey: 'on' }, [200])
  const flagPath = '/api/v1/namespaces/default/flags/on'
  const write = (...statuses: readonly number[]) => ask('PUT', flagPath, flag, statuses)

  const faults = {
    hangs: { begin: () => postgres.hang(), end: () => postgres.resume(), writes: [200, 503, 504] },
    'is slow': {
      begin: () => link.set({ delayMs }),
      end: () => link.set('none'),
      writes: [200, 503],
    },
  } as const
  await evaluate()

  for (const name of ['hangs', 'is slow'] as const) {
    const { begin, end, writes } = faults[name]
    await t.test(`${name} for ${forMs} ms`, async (t) => {
      const evaluations = startLoad(evaluationsPerSecond, evaluate)
      begin()
      // One after the other: a write also waits for those before it in its namespace, for 10 s at most.
      const outcomes: Record<string, number> = {}
      const tookMs: number[] = []
      const endAt = performance.now() + forMs
      while (performance.now() < endAt) {
        const beganAt = performance.now()
        const outcome = await write(...writes)
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        tookMs.push(performance.now() - beganAt)
      }
      end()
      const recoveredMs = await timeUntil(async () => (await write(200)) === 'right', 20_000)
      const evaluated = await evaluations.stop()
      t.comment(
        `evaluations: ${JSON.stringify(evaluated.outcomes)}; ${percentiles(evaluated.tookMs)} ms`,
      )
      t.comment(`writes: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
      const bound = (atMost: number) => ({ atMost, unit: 'ms' })
      figure(t, 'R-6', `${name}: failed evaluations`, { atMost: 0 }, wrongOf(evaluated.outcomes))
      figure(t, 'R-6', `${name}: writes with another status`, { atMost: 0 }, wrongOf(outcomes))
      figure(t, 'R-6', `${name}: the slowest write`, bound(slowestMs), Math.max(...tookMs))
      figure(t, 'R-6', `${name}: writes are back after`, bound(recoveryMs), recoveredMs)
    })
  }
})
