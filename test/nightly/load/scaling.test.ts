import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { call } from '../../support/http.ts'
import { percentiles, startLoad } from '../../support/load.ts'
import { type Fixture, type Scaled, startFixture } from './scaling.fixture.ts'

/** How often the services grow from two to four replicas, and shrink again. */
const rounds = Number(process.env.SCALINGS ?? 5)

const perSecond = 50

/** How soon after all replicas are ready each gateway uses all of them, in milliseconds. */
const foundMs = 30_000

/** Over how many seconds the calls of a gateway are compared: some twenty to each replica. */
const windowS = 8

/** How many calls the busiest replica may get for one of the idlest. */
const maxRatio = 1.5

t.setTimeout(900_000)

t.test(`auth and resource from 2 to 4 replicas and back, ${rounds} times`, async (t) => {
  const { url } = await createTestDatabase(t)
  const fixture = await startFixture(t, url)
  const { urls, token } = fixture
  const flags = '/api/v1/namespaces/default/flags'
  const ask = (at: number, method: string, path: string, body?: object, credential = token) =>
    call(urls[at % urls.length] ?? '', method, path, body, {
      authorization: `Bearer ${credential}`,
    })
  await ask(0, 'POST', flags, { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE' })

  const written = new Set<string>()
  let count = 0
  let stage = ''
  const write = async (at: number) => {
    const key = `flag-${at}`
    const { status, text } = await ask(at, 'POST', flags, {
      key,
      name: key,
      type: 'BOOLEAN_FLAG_TYPE',
    })
    if (status === 200) written.add(key)
    return status === 200 ? 'right' : `write: ${status} ${text}`
  }
  const expecting = async (expected: number, name: string, asked: ReturnType<typeof ask>) => {
    const { status, text } = await asked
    return status === expected ? 'right' : `${name}: ${status} ${text}`
  }
  const kinds = [
    (at: number) => expecting(200, 'read', ask(at, 'GET', `${flags}/on`)),
    (at: number) => expecting(200, 'self', ask(at, 'GET', '/auth/v1/self')),
    (at: number) =>
      expecting(401, 'unknown', ask(at, 'GET', `${flags}/on`, undefined, `unknown-${at}`)),
    (at: number) =>
      at % 5 === 0 ? write(at) : expecting(200, 'list', ask(at, 'GET', `${flags}?limit=1`)),
  ]
  const load = startLoad(perSecond, async () => {
    count += 1
    const at = count
    // Each kind by each gateway.
    const outcome = await (kinds[(at >> 1) % kinds.length] ?? write)(at)
    return outcome === 'right' ? outcome : `${stage}: ${outcome}`
  })

  for (let round = 1; round <= rounds; round += 1) {
    stage = `growing ${round}`
    await fixture.grow(2)
    stage = `4 replicas, ${round}`
    const found = await untilSpread(fixture)
    t.comment(`4 replicas, round ${round}: ${describe(found)}`)
    t.ok(found.ratio <= maxRatio, `round ${round}: every gateway uses every replica`)
    stage = `shrinking ${round}`
    await fixture.shrink(2, round % 2 === 0)
    stage = `2 replicas, ${round}`
    const left = await untilSpread(fixture)
    t.comment(`2 replicas, round ${round}: ${describe(left)}`)
    t.ok(left.ratio <= maxRatio, `round ${round}: and those that stay`)
  }
  const { outcomes, tookMs } = await load.stop()
  t.comment(`${rounds} rounds: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  t.strictSame(Object.keys(outcomes), ['right'])

  const kept = new Set<string>()
  let pageToken = ''
  do {
    const { body } = await ask(0, 'GET', `${flags}?limit=500&pageToken=${pageToken}`)
    const page = body as { flags: { key: string }[]; nextPageToken: string }
    for (const { key } of page.flags) kept.add(key)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  kept.delete('on')
  t.comment(`${written.size} flags were written`)
  t.strictSame([...kept].sort(), [...written].sort(), 'what was confirmed is there, and no more')
})

interface Spread {
  /** Of the gateway and service where it is the greatest. */
  readonly ratio: number
  readonly afterMs: number
  readonly calls: Readonly<Record<string, readonly number[]>>
}

/** Compares the calls of the last seconds, until they are spread well or it takes too long. */
async function untilSpread(fixture: Fixture): Promise<Spread> {
  const startedAt = performance.now()
  const samples = [callsOf(fixture)]
  for (;;) {
    await sleep(1000)
    const now = callsOf(fixture)
    samples.push(now)
    if (samples.length <= windowS) continue
    const before = samples.at(-1 - windowS) ?? {}
    const calls = Object.fromEntries(
      Object.entries(now).map(([name, counts]) => [
        name,
        counts.map((one, i) => one - (before[name]?.[i] ?? 0)),
      ]),
    )
    const ratios = Object.values(calls).map((counts) => Math.max(...counts) / Math.min(...counts))
    const ratio = Math.max(...ratios)
    const afterMs = performance.now() - startedAt
    if (ratio <= maxRatio || afterMs > foundMs) return { ratio, afterMs, calls }
  }
}

/** By gateway and service: the calls to each replica so far. */
function callsOf({ urls, replicas }: Fixture): Readonly<Record<string, readonly number[]>> {
  const services: readonly Scaled[] = ['auth', 'resource']
  return Object.fromEntries(
    urls.flatMap((_, gateway) =>
      services.map((service) => [
        `gateway ${gateway + 1} to ${service}`,
        replicas[service].map(({ calls }) => calls[gateway]?.calls ?? 0),
      ]),
    ),
  )
}

function describe({ ratio, afterMs, calls }: Spread): string {
  const counts = Object.entries(calls).map(([name, counts]) => `${name} ${counts.join('/')}`)
  return `ratio ${ratio.toFixed(2)} after ${(afterMs / 1000).toFixed(1)} s: ${counts.join(', ')}`
}
