import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { ofAnotherClient } from '../support/clients.ts'
import { cpuTimeOf } from '../support/cpu-time.ts'
import { startFleet } from '../support/fleet.ts'
import { startJwtIssuer } from '../support/jwt-issuer.ts'
import { openKeepAlive, requestBytes } from '../support/keep-alive.ts'
import { oidcEnv } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { bodies } from './hostile-shapes.bodies.ts'
import { heads } from './hostile-shapes.heads.ts'
import type { RequestForm } from './hostile-shapes.ts'

/** How many times as much as a harmless request of the same length a hostile one may cost. */
const limit = 3

/** Of so many samples the cheapest counts: whatever else a process does only adds to one. */
const samples = { least: 2, most: 8 }

/** Requests in a sample: a megabyte, and no more than it takes. */
const countFor = (bytes: number) => Math.max(2, Math.min(16, Math.floor(2 ** 20 / (bytes + 1))))

/** Compiled by then is what all requests run through. */
const warmingUp = 2000

const shapes = [...heads, ...bodies]

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
  const client = openKeepAlive(gateways[0]?.port ?? 0, 1)
  t.teardown(async () => client.close())

  const statuses = new Map<number, number>()
  const send = async (request: Buffer) => {
    // The gateway may close a connection before it has read all of what it refuses.
    const { status } = await client.send(request).catch(() => ({ status: 0 }))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  /** Of the gateway and of auth, in milliseconds. */
  const cpuTime = async () => {
    const times = await Promise.all(pids.map(cpuTimeOf))
    return times.reduce((sum, time) => sum + time, 0)
  }
  /** @returns what one such request costs, in milliseconds of CPU time */
  const costOf = async ({ method, target, headers, body }: RequestForm) => {
    const content = body()
    const requests = Array.from({ length: countFor(content.length) }, () =>
      requestBytes(target, content, { ...ofAnotherClient(), ...headers }, method),
    )
    const before = await cpuTime()
    for (const request of requests) await send(request)
    return ((await cpuTime()) - before) / requests.length
  }

  const [{ harmless: first } = { harmless: undefined }] = shapes
  if (first === undefined) throw new Error('there is no shape')
  for (let i = 0; i < warmingUp; i++) await send(requestBytes(first.target, '', {}, first.method))
  const costs: Cost[] = []
  for (const { name, hostile, harmless } of shapes) {
    let cost: Cost = { name, hostileMs: Infinity, harmlessMs: Infinity, ratio: Infinity }
    for (let i = 0; i < samples.most && (i < samples.least || cost.ratio > limit); i++) {
      const harmlessMs = Math.min(cost.harmlessMs, await costOf(harmless))
      const hostileMs = Math.min(cost.hostileMs, await costOf(hostile))
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
