import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { ofAnotherClient } from '../../support/clients.ts'
import { startFleet } from '../../support/fleet.ts'
import { startJwtIssuer } from '../../support/jwt-issuer.ts'
import { quantile } from '../../support/load.ts'
import { oidcEnv } from '../../support/oidc-login.ts'
import { startOidcProvider } from '../../support/oidc-provider.ts'
import { cpuTimeOf } from '../../support/process-stats.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import { type RequestForm, shapes } from './hostile-shapes.ts'

/** How many times as much as a harmless request of the same length a hostile one may cost. */
const limit = 3

/**
 * Of so many samples the median counts: in how many pieces a body of megabytes arrives, and so what it
 * takes to read it, differs from one to the next.
 */
const samples = { least: 3, most: 15 }

/** Requests in a sample. With fewer large bodies, to collect what is left of them falls on some alone. */
const perSample = 12

/** Compiled by then is what all requests run through. */
const warmingUp = 2000

interface Cost {
  readonly name: string
  readonly hostileMs: number
  readonly harmlessMs: number
  readonly ratio: number
}

t.test(`${shapes.length} hostile requests without a credential`, async (t) => {
  const { url } = await createTestDatabase(t)
  const publicUrl = 'http://127.0.0.1'
  const [jwts, provider] = await Promise.all([
    startJwtIssuer(t, 'ci'),
    startOidcProvider(t, { publicUrl, name: 'accounts', people: {} }),
  ])
  const env = { ...jwts.env, ...oidcEnv(publicUrl, { accounts: provider }) }
  const { gateways, auths } = await startFleet(t, { databaseUrl: url, env })
  const pids = [...gateways, ...auths].map(({ pid }) => pid)
  const client = openRawClient(gateways[0]?.port ?? 0, 1)
  t.teardown(async () => client.close())

  const statuses = new Map<number, number>()
  const send = async (request: Buffer) => {
    // The gateway may close a connection before it has read all of what it refuses.
    const { status } = await client.send(request)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  /** Of the gateway and of auth, in milliseconds. */
  const cpuTime = async () => {
    const times = await Promise.all(pids.map(cpuTimeOf))
    return times.reduce((sum, time) => sum + time, 0)
  }
  /** @returns what one such request costs, in milliseconds of CPU time */
  const costOf = async ({ method, target, headers }: RequestForm, content: string | Buffer) => {
    const all = { ...ofAnotherClient(), ...headers }
    const request = requestBytes(target, content, all, method)
    const before = await cpuTime()
    for (let i = 0; i < perSample; i++) await send(request)
    return ((await cpuTime()) - before) / perSample
  }

  const [{ harmless: first } = { harmless: undefined }] = shapes
  if (first === undefined) throw new Error('there is no shape')
  for (let i = 0; i < warmingUp; i++) await send(requestBytes(first.target, '', {}, first.method))
  const costs: Cost[] = []
  for (const { name, hostile, harmless } of shapes) {
    const [content, ordinary] = [hostile.body(), harmless.body()]
    const ofHarmless: number[] = []
    const ofHostile: number[] = []
    let cost: Cost = { name, hostileMs: Infinity, harmlessMs: Infinity, ratio: Infinity }
    for (let i = 0; i < samples.most && (i < samples.least || cost.ratio > limit); i++) {
      // In turns first: else the process might collect its garbage in time with one of them.
      if (i % 2 === 0) ofHarmless.push(await costOf(harmless, ordinary))
      ofHostile.push(await costOf(hostile, content))
      if (i % 2 === 1) ofHarmless.push(await costOf(harmless, ordinary))
      const [harmlessMs, hostileMs] = [quantile(ofHarmless, 0.5), quantile(ofHostile, 0.5)]
      cost = { name, harmlessMs, hostileMs, ratio: hostileMs / harmlessMs }
    }
    costs.push(cost)
  }

  const text = ({ name, ratio, hostileMs, harmlessMs }: Cost) =>
    `${ratio.toFixed(2)} times: ${hostileMs.toFixed(3)} and ${harmlessMs.toFixed(3)} ms, ${name}`
  costs.sort((a, b) => b.ratio - a.ratio)
  for (const cost of costs.slice(0, 10)) t.comment(text(cost))
  t.comment(`by status: ${JSON.stringify(Object.fromEntries(statuses))}`)
  t.strictSame(costs.filter(({ ratio }) => ratio > limit).map(text), [])
  t.equal(statuses.get(500), undefined)
})
