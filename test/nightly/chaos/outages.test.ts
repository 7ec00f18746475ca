import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@svc/local/postgres'
import t, { type Test } from 'tap'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { redisIsMissing, startRedis } from '../../support/redis.ts'
import { type Outages, openOutages, type Sample } from './outages.observer.ts'

/** A minute, unless the environment says less; no less than ten seconds shows anything. */
const outageMs = Number(process.env.OUTAGE_SECONDS ?? 60) * 1000

/** From when on a gateway that receives nothing new has to say so. */
const staleAfterMs = 7500

/** How soon after a part is back everything is as before. */
const recoveryMs = 3000

/** How soon what cannot be done is refused. */
const refusalMs = 1000

/** Something that is killed without a warning, and started again. */
interface Part {
  kill(): Promise<void>
  restart(): Promise<void>
}

async function startServices(t: Test) {
  const directory = await mkdtemp(join(tmpdir(), 'svc-outages-'))
  let postgres = await startPostgres({ directory })
  let redis = await startRedis()
  t.teardown(async () => {
    await Promise.all([postgres.stop(), redis.stop()])
    await rm(directory, { recursive: true })
  })
  const fleet = await startFleet(t, { databaseUrl: postgres.url, redisUrl: redis.url })
  const [auth] = fleet.auths
  const [resource] = fleet.resources
  if (auth === undefined || resource === undefined) throw new Error('a service is missing')
  const parts = {
    postgres: {
      async kill() {
        process.kill(postgres.pid, 'SIGKILL')
      },
      async restart() {
        postgres = await startPostgres({ directory, port: postgres.port })
      },
    },
    redis: {
      kill: () => redis.stop(),
      async restart() {
        redis = await startRedis({ port: redis.port })
      },
    },
    auth,
    resource,
  } satisfies Record<string, Part>
  return { fleet, parts }
}

/** What the gateway says of itself during an outage. */
function checkSamples(
  t: Test,
  samples: readonly Sample[],
  stale: { readonly flags: boolean; readonly auth: boolean },
): void {
  t.ok(samples.length > outageMs / 2000, `${samples.length} looks`)
  t.strictSame([...new Set(samples.map(({ readyStatus }) => readyStatus))], [200], 'it is ready')
  const late = samples.filter(({ atMs }) => atMs > staleAfterMs)
  const states = (name: 'flags' | 'auth') => [...new Set(late.map((sample) => sample[name].state))]
  t.strictSame(states('flags'), [stale.flags ? 'stale' : 'current'])
  if (stale.auth) t.strictSame(states('auth'), ['stale'])
  const ages = late.map(({ dataAge }) => dataAge)
  if (!stale.flags) {
    t.strictSame([...new Set(ages)], [undefined], 'no answer is said to be old')
    return
  }
  t.notOk(ages.includes(undefined), 'every answer says how old it may be')
  t.strictSame(
    ages,
    ages.toSorted((a = 0, b = 0) => a - b),
    'and that grows',
  )
  const grown = (ages.at(-1) ?? 0) - (ages[0] ?? 0)
  const spent = ((late.at(-1)?.atMs ?? 0) - (late[0]?.atMs ?? 0)) / 1000
  t.ok(Math.abs(grown - spent) < 3, `by ${grown} s in ${spent.toFixed(1)} s`)
  const differences = late.map(({ flags, dataAge = 0 }) => Math.abs(dataAge - flags.ageSeconds))
  t.ok(Math.max(...differences) < 2, '/readyz says the same')
}

async function endure(t: Test, outages: Outages, name: string, parts: readonly Part[]) {
  const row =
    name === 'resource' ? 'R-13' : name === 'auth' ? 'R-11' : name === 'redis' ? 'R-1' : 'R-5'
  await Promise.all(parts.map((part) => part.kill()))
  const watched = await outages.watch(outageMs)
  // In any order, and not at once.
  await Promise.all(
    parts.map(async (part) => {
      await sleep(parts.length === 1 ? 0 : Math.random() * 2000)
      await part.restart()
    }),
  )
  const recoveredMs = await outages.recover()
  await sleep(1000)
  const { outcomes, took } = await outages.takeOutcomes()
  t.comment(`evaluations: ${JSON.stringify(outcomes)}; ${took} ms`)
  const what = (text: string) => `${name} down: ${text}`
  figure(t, row, what('failed or wrong evaluations'), { atMost: 0 }, wrongOf(outcomes))
  figure(t, row, what('all is as before after'), { atMost: recoveryMs, unit: 'ms' }, recoveredMs)
  const atLeast = outages.perSecond * (outageMs / 1000) * 0.95
  t.ok((outcomes.right ?? 0) > atLeast, 'the load was there')
  const slowest = Math.max(...watched.writes.map(({ tookMs }) => tookMs))
  const statuses = watched.writes.map(({ status }) => status)
  t.comment(`writes: ${statuses}; the slowest took ${Math.round(slowest)} ms`)
  return watched
}

const cases = {
  postgres: { stale: { flags: true, auth: true }, writes: [503] },
  redis: { stale: { flags: false, auth: false }, writes: [200] },
  // For a few seconds, a token is accepted that was good just now.
  auth: { stale: { flags: false, auth: true }, writes: [200, 503] },
  resource: { stale: { flags: true, auth: false }, writes: [503] },
} as const

const names = ['postgres', 'redis', 'auth', 'resource'] as const

t.test('evaluation continues while', { skip: redisIsMissing, timeout: 900_000 }, async (t) => {
  const { fleet, parts } = await startServices(t)
  const outages = await openOutages(t, fleet)

  for (const name of names) {
    await t.test(`${name} is down for ${outageMs / 1000} s`, async (t) => {
      const { samples, writes } = await endure(t, outages, name, [parts[name]])
      checkSamples(t, samples, cases[name].stale)
      const statuses = writes.map(({ status }) => status)
      t.strictSame([...new Set(statuses)].sort(), cases[name].writes)
      const slowest = Math.max(...writes.map(({ tookMs }) => tookMs))
      t.ok(slowest <= refusalMs, `each is answered within ${Math.round(slowest)} ms`)
      if (name === 'postgres') {
        figure(t, 'R-5', 'the slowest refusal', { atMost: refusalMs, unit: 'ms' }, slowest)
      }
    })
  }

  await t.test(`all of them are down for ${outageMs / 1000} s`, async (t) => {
    const all = names.map((name) => parts[name])
    const { samples } = await endure(t, outages, 'all of them', all)
    checkSamples(t, samples, { flags: true, auth: true })
  })
})
