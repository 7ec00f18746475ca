import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { nameOfCopy, toggleFlags } from '../../support/many-flags.ts'
import { residentMiB } from '../../support/process-stats.ts'
import { untilReady } from '../../support/stack.ts'
import { many, startLargeNamespace } from './large-namespace.ts'

/** The flags of one change appear at once, so this one grows with their number; in milliseconds. */
const maxLargeChangeMs = 40

/** Growth of the resident memory that is left a minute after the last snapshot, in MiB. */
const maxGrowthMib = 60

/** Growth for each client that does not read, garbage included: a quarter of its snapshot. */
const maxClientMib = 16

const snapshot = '/internal/v1/evaluation/snapshot/namespace/many'
const stream = '/internal/v1/evaluation/stream/namespace/many'
const newest = { 'x-svc-accept-server-version': '1.47.0' }

t.test('the snapshot of 100,000 flags', async (t) => {
  const { db, fleet, gateway, measure, ...large } = await startLargeNamespace(t)
  const change = async () => ({ ...newest, ...(await large.change()) })
  const { ask, read } = large

  const load = async () => {
    await untilReady(fleet.urls[0])
    // What has not been needed is compiled after that.
    await sleep(3000)
  }
  const prepare = async () => {
    await gateway.kill()
    await gateway.restart()
  }
  await measure('a start', load, { prepare })
  // Time for the garbage collector, so that the start counts for nothing in what follows.
  await sleep(10_000)
  const before = Math.round(residentMiB(gateway))

  const changedKeys = Array.from({ length: 10_000 }, (_, number) => nameOfCopy(many, number))
  const changeMany = async () => {
    const revision = await toggleFlags(db, 'many', changedKeys)
    const body = { namespaceKey: 'many', flagKey: 'new-checkout-0', entityId: 'e', context: {} }
    const headers = { 'x-svc-min-revision': `many:${revision}` }
    await waitFor(async () => {
      return (await fleet.api('POST', '/evaluate/v1/boolean', body, headers)).status === 200
    })
  }
  await measure('a change of 10,000 flags', changeMany, { limitMs: maxLargeChangeMs })
  await measure('a change of one flag', change)
  await measure('as it is', async () => read(snapshot, await change()))
  await measure('compressed', async () => {
    return read(snapshot, { ...(await change()), 'accept-encoding': 'gzip' })
  })
  await measure('as an event', async () => read(stream, await change()))

  await t.test('leaves no memory with clients that do not read', async (t) => {
    const clients: IncomingMessage[] = []
    for (let i = 0; i < 10; i++) {
      clients.push(await ask(snapshot, await change()))
      clients.push(await ask(stream, await change()))
    }
    await sleep(5000)
    const grown = Math.round(residentMiB(gateway)) - before
    for (const client of clients) client.destroy()
    t.ok(grown <= clients.length * maxClientMib, `${grown} MiB for ${clients.length} clients`)
  })

  await sleep(60_000)
  const grown = Math.round(residentMiB(gateway)) - before
  t.comment(`${before} MiB resident before, ${before + grown} MiB a minute after`)
  t.ok(grown <= maxGrowthMib, `${grown} MiB more a minute after than the ${before} MiB before`)
})
