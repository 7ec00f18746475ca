import { randomBytes } from 'node:crypto'
import type { Database } from '@svc/database'
import { createTestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { routes } from '../../contract/route-table.ts'
import { startFleet } from '../../support/fleet.ts'
import { parseMetrics, scrape, sumOf } from '../../support/metrics.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import type { ServiceProcess } from '../../support/service-process.ts'

const counts = { paths: Number(process.env.PATHS ?? 100_000), namespaces: 5000, flags: 10_000 }

/** Of `/metrics`, comments included. */
const maxLines = 3000

const perBatch = 100

/** Requests that wait for one of the connections. */
const atOnce = 1000

/** By SQL, for through the API it takes minutes. The one revision has them all, as if they had been applied together. */
async function fill(db: Database): Promise<void> {
  const perStatement = 1000
  await db.transaction(async (tx) => {
    await tx.query(`SET LOCAL session_replication_role = 'replica'`)
    const [next] = await tx.query<{ revision: number }>(
      `SELECT nextval('resource.revisions') AS revision`,
    )
    await tx.query(
      `INSERT INTO resource.namespaces (key, name, revision, created_revision)
       SELECT 'ns-' || n, 'Namespace', $1::bigint, $1::bigint FROM generate_series(0, $2::int - 1) AS n`,
      [next?.revision, counts.namespaces],
    )
    for (let first = 0; first < counts.flags; first += perStatement) {
      await tx.query(
        `INSERT INTO resource.flags (namespace_key, key, type, name, enabled, revision)
         SELECT 'ns-' || n % $2::int, 'flag-' || n, 'BOOLEAN_FLAG_TYPE', 'Flag', n % 3 > 0, $1::bigint
           FROM generate_series($3::int, $4::int) AS n`,
        [next?.revision, counts.namespaces, first, first + perStatement - 1],
      )
    }
  })
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'] as const
const templates = routes.filter(({ isStream }) => isStream !== true)
const word = () => randomBytes(6).toString('hex')

/** A request that no other is like: to no route, to one of them with names that are made up, or by another method. */
function randomRequest(n: number, token: string): Buffer {
  const bearer = { authorization: `Bearer ${token}` }
  if (n % 4 === 0) return requestBytes(`/${word()}/${word()}?${word()}`, '', bearer)
  const { method, path } = templates[n % templates.length] ?? { method: 'GET', path: '/' }
  const named = path.replace(/\{\w+\}/g, word)
  if (n % 4 === 1) return requestBytes(named, '', {}, method)
  if (n % 40 === 2) return requestBytes(named, '', bearer, 'GET')
  return requestBytes(named, '', {}, methods[n % methods.length])
}

/** Each flag in its namespace, and one that there is not in each namespace. */
function evaluations(token: string): Buffer[] {
  const requests = Array.from({ length: counts.flags + counts.namespaces }, (_, n) => ({
    namespaceKey: `ns-${n % counts.namespaces}`,
    flagKey: `flag-${n}`,
    entityId: 'user',
  }))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return Array.from({ length: requests.length / perBatch }, (_, n) => {
    const body = { requests: requests.slice(n * perBatch, (n + 1) * perBatch) }
    return requestBytes('/evaluate/v1/batch', JSON.stringify(body), headers)
  })
}

function isSmall(t: Test, name: string, text: string): void {
  const lines = text.trimEnd().split('\n').length
  t.comment(`${name}: ${lines} lines`)
  t.ok(lines > 50 && lines < maxLines, `${name}: ${lines} lines`)
}

t.test('however much there is, and whatever is asked, metrics stay small', async (t) => {
  const db = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl: db.url })
  const [[gateway], [auth], [resource]] = [fleet.gateways, fleet.auths, fleet.resources]
  if (!gateway || !auth || !resource) throw new Error('a service is missing')
  await Promise.all([gateway.kill(), resource.kill()])
  await fill(db)
  await resource.restart()

  const measure = async (t: Test, gateway: ServiceProcess, perFlag: boolean) => {
    // Few at once: a gateway refuses what it cannot answer in time.
    const client = openRawClient(gateway.port, 8)
    t.teardown(() => client.close())
    const send = async (request: Buffer) => (await client.send(request)).status
    for (const request of evaluations(fleet.token)) {
      // On a busy machine it is refused, and not counted.
      await waitFor(async () => (await send(request)) === 200)
    }
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < counts.paths; sent += atOnce) {
      const requests = Array.from({ length: atOnce }, (_, n) =>
        randomRequest(sent + n, fleet.token),
      )
      for (const status of await Promise.all(requests.map(send))) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    t.comment([...statuses].map((pair) => pair.join(': ')).join(', '))
    t.notOk(statuses.has(0), 'each is answered')

    const total = counts.flags + counts.namespaces
    const isCounted = (text: string) => sumOf(parseMetrics(text), 'svc_evaluations_total') === total
    await waitFor(async () => isCounted(await scrape(gateway)))
    const text = await scrape(gateway)
    const samples = parseMetrics(text)
    const namesOf = (label: string) =>
      new Set(
        samples
          .filter(({ name }) => name === 'svc_evaluations_total')
          .flatMap(({ labels }) => labels[label] ?? []),
      )
    t.equal(namesOf('namespace').size, 101, '100 namespaces, and _other')
    if (perFlag) t.ok(namesOf('flag').size > 900, `${namesOf('flag').size} flags`)
    const answered = sumOf(samples, 'http_server_request_duration_seconds_count') ?? 0
    t.ok(answered >= counts.paths, `${answered} requests are counted`)
    isSmall(t, 'gateway', text)
  }

  const usual = await fleet.startGateway({})
  await t.test('of a gateway', (t) => measure(t, usual, false))
  await usual.kill()
  const perFlag = await fleet.startGateway({ SVC_METRICS_PER_FLAG: 'true' })
  await t.test('of one with metrics.per_flag', (t) => measure(t, perFlag, true))
  await t.test('of auth and resource', async (t) => {
    isSmall(t, 'auth', await scrape(auth))
    isSmall(t, 'resource', await scrape(resource))
  })
})
