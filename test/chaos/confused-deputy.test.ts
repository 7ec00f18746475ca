import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { createRandom } from '../support/random.ts'
import { openRawClient, type RawAnswer, requestBytes } from '../support/raw-http.ts'
import { startStack } from '../support/stack.ts'
import {
  canaryOf,
  findMisplaced,
  fingerprint,
  fingerprintLogins,
  furnish,
  lookAround,
  namespaceKeys,
} from './confused-deputy.fixture.ts'
import { type Caller, type DeputyRequest, nextRequest } from './confused-deputy.requests.ts'

const requests = Number(process.env.DEPUTY_REQUESTS ?? 50_000)

/** After as many, what is in the database is looked at, and restored. */
const perRound = 250

/** At a time: enough to keep the services busy, and too few for writes to wait for each other long. */
const parallel = 8

const callers = ['red', 'default', 'red', 'global', 'anonymous'] as const

t.test(`${requests} requests do not leave the namespace of who sends them`, async (t) => {
  const { urls, api, token, databaseUrl, createNamespacedToken } = await startStack(t)
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const db = openDatabase(databaseUrl, { name: 'test', maxConnections: 2, log })
  t.teardown(() => db.close())
  for (const key of namespaceKeys) await furnish(db, api, key)
  await api('PUT', '/api/v1/namespaces/default', { name: canaryOf('default') })
  const tokens: Readonly<Record<Caller, string | undefined>> = {
    global: token,
    default: await createNamespacedToken('default'),
    red: await createNamespacedToken('red'),
    anonymous: undefined,
  }
  const client = openRawClient(Number(new URL(urls[0]).port))
  t.teardown(async () => client.close())
  const seed = Number(process.env.DEPUTY_SEED ?? 20_261_121)
  t.comment(`DEPUTY_SEED=${seed}`)
  const random = createRandom(seed)

  const send = async (caller: Caller, request: DeputyRequest) => {
    const { route, path, body } = request
    const bearer = tokens[caller]
    const headers = { ...request.headers, ...(bearer && { authorization: `Bearer ${bearer}` }) }
    return await client.send(requestBytes(path, body, headers, route.method))
  }

  const outcomes: Record<string, Record<number, number>> = {}
  const bypasses: string[] = []
  const faults: string[] = []
  for (let sent = 0; sent < requests; ) {
    const caller = random.pick(callers)
    for (const key of namespaceKeys) await furnish(db, api, key)
    const fixture = await lookAround(db)
    const others = namespaceKeys.filter((key) => caller !== 'global' && key !== caller)
    const look = async () => [
      ...(await Promise.all(others.map((key) => fingerprint(db, key)))),
      caller === 'global' ? '' : await fingerprintLogins(db),
    ]
    const before = await look()
    const round = Array.from({ length: perRound }, () => nextRequest(random, fixture, caller))
    sent += round.length
    const next = round.values()
    const work = async () => {
      for (const request of { [Symbol.iterator]: () => next }) {
        const answer = await send(caller, request)
        const { status } = answer
        const { route, path, body, verdict } = request
        const counts = outcomes[`${caller} ${verdict}`] ?? {}
        outcomes[`${caller} ${verdict}`] = counts
        counts[status] = (counts[status] ?? 0) + 1
        const headers = JSON.stringify(request.headers)
        const said = `${caller}: ${route.method} ${path} ${body.slice(0, 300)} ${headers}`
        const spelled = `${said} -> ${status} ${answer.text.slice(0, 300)}`
        if ((status >= 500 || status === 0) && !isTurnedAway(path, answer)) faults.push(spelled)
        const reason = findBypass(caller, request, answer, fixture.foreignIdsOf)
        if (reason !== undefined) bypasses.push(`${reason}\n  ${spelled}`)
      }
    }
    await Promise.all(Array.from({ length: parallel }, work))
    if (JSON.stringify(await look()) !== JSON.stringify(before)) {
      const writes = round.filter(({ route }) => route.method !== 'GET')
      bypasses.push(
        `${caller} changed something elsewhere, by one of\n${writes
          .map(({ route, path, body }) => `  ${route.method} ${path} ${body.slice(0, 200)}`)
          .join('\n')}`,
      )
    }
    for (const row of await findMisplaced(db)) bypasses.push(`in the wrong namespace: ${row}`)
    if (bypasses.length + faults.length > 50) break
  }

  for (const [name, counts] of Object.entries(outcomes)) t.comment(name, JSON.stringify(counts))
  const sent = Object.values(outcomes).flatMap((counts) => Object.values(counts))
  const total = sent.reduce((sum, count) => sum + count, 0)
  t.comment(`${total} requests: ${bypasses.length} bypasses, ${faults.length} faults`)
  t.strictSame(bypasses.slice(0, 10), [])
  t.strictSame(faults.slice(0, 10), [])
  t.equal(total, requests)
  for (const caller of ['global', 'red', 'default'] as const) {
    const done = outcomes[`${caller} admitted`]?.[200] ?? 0
    t.ok(done > requests / 250, `${caller} gets ${done} answers where it may`)
  }
})

/** One verification of a namespace at a time: another one meanwhile is told to come again. */
function isTurnedAway(path: string, { status, text }: RawAnswer): boolean {
  const isVerification = /\/(changes|events)\/verification/.test(path)
  return isVerification && status === 503 && text.includes('being verified, try again')
}

/** @returns what is wrong with the answer, if anything */
function findBypass(
  caller: Caller,
  request: DeputyRequest,
  { status, text }: RawAnswer,
  foreignIdsOf: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const { verdict, namespaceKey, route } = request
  if (verdict === 'refused' && (status < 400 || status >= 500)) return 'was to be refused'
  if (verdict === 'admitted' && (status === 401 || status === 403)) return 'was to be admitted'
  const own = caller === 'global' ? namespaceKey : caller
  // A global token gets everything where the request names no single namespace.
  if (own === undefined || (caller === 'global' && route.access !== 'namespace')) return undefined
  const shown = namespaceKeys.find((key) => key !== own && text.includes(canaryOf(key)))
  if (shown !== undefined) return `shows what is in ${shown}`
  const sent = request.path + request.body
  const id = foreignIdsOf.get(own)?.find((one) => text.includes(one) && !sent.includes(one))
  return id === undefined ? undefined : `shows ${id}, which is elsewhere`
}
