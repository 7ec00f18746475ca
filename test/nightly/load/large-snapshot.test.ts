import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import { loadDemo } from '@svc/local/demo'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { quantile } from '../../support/load.ts'
import { makeManyFlags, nameOfCopy, toggleFlag, toggleFlags } from '../../support/many-flags.ts'
import { residentMiB } from '../../support/process-stats.ts'
import { untilReady } from '../../support/stack.ts'
import { longestTurnOf, turnProbe } from '../../support/turn-probe.ts'

/** Longest turn of the event loop, in milliseconds of processor time; the median of the repetitions. */
const maxTurnMs = 20
/** The flags of one change appear at once, so this one grows with their number. */
const maxLargeChangeMs = 40
const repetitions = 5

/** Growth of the resident memory that is left a minute after the last snapshot, in MiB. */
const maxGrowthMib = 60

/** Growth for each client that does not read, garbage included: a quarter of its snapshot. */
const maxClientMib = 16

const many = {
  namespaceKeys: ['many'],
  count: 100_000,
  copied: ['new-checkout', 'theme-color', 'beta-banner', 'api-limits'],
}

const snapshot = '/internal/v1/evaluation/snapshot/namespace/many'
const stream = '/internal/v1/evaluation/stream/namespace/many'

/** What comes before the last byte of a snapshot as an event. */
const endOfEvent = Buffer.from(']}\n\n')

t.test('the snapshot of 100,000 flags', async (t) => {
  const db = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: db.url,
    envOf: { gateway: { NODE_OPTIONS: turnProbe } },
  })
  const [gateway] = fleet.gateways
  if (gateway === undefined) throw new Error('no fleet')
  await loadDemo(fleet.urls[0], fleet.token)
  await gateway.kill()
  await makeManyFlags(db, many)

  const ask = (path: string, more: Readonly<Record<string, string>> = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${fleet.token}`,
        'x-svc-accept-server-version': '1.47.0',
        ...more,
      }
      get(fleet.urls[0] + path, { headers, agent: false }, resolve).on('error', reject)
    })
  /** @returns its bytes */
  const read = async (path: string, headers?: Readonly<Record<string, string>>) => {
    const response = await ask(path, headers)
    let bytes = 0
    for await (const chunk of response) {
      bytes += chunk.length
      if (path === stream && chunk.subarray(-4).equals(endOfEvent)) break
    }
    response.destroy()
    return bytes
  }
  const change = async () => {
    const { revision } = await toggleFlag(db, 'many', 'new-checkout-0')
    return { 'x-svc-min-revision': `many:${revision}` }
  }
  const measure = async (
    name: string,
    work: () => Promise<unknown>,
    { prepare = async () => {}, limitMs = maxTurnMs } = {},
  ) => {
    const turns: number[] = []
    for (let i = 0; i < repetitions; i++) {
      await prepare()
      turns.push(await longestTurnOf(gateway, work))
    }
    const medianMs = quantile(turns, 0.5)
    const list = turns.map((ms) => ms.toFixed(1)).join(', ')
    t.comment(`${name}: longest turns ${list} ms; ${Math.round(residentMiB(gateway))} MiB resident`)
    t.ok(medianMs <= limitMs, `${name}: ${medianMs.toFixed(1)} ms, the median of ${repetitions}`)
  }

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
