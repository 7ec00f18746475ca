import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { figure } from '../../support/figures.ts'
import { addressOf, startFleet } from '../../support/fleet.ts'
import { openResourceChannel } from '../../support/internal.ts'
import { openContents } from '../../support/namespace-content.ts'
import { startServiceProcess } from '../../support/service-process.ts'
import { openWatcher } from './watch-partitions.watcher.ts'

/** How soon after its database is back a replica of the service has to have caught up. */
const limitMs = 3000

/** How soon a gateway that receives nothing new has to say so. */
const staleMs = 7500

t.test('a replica of the service that has lost its database', async (t) => {
  const database = await createTestDatabase(t)
  const { api, resources } = await startFleet(t, { databaseUrl: database.url })
  const url = new URL(database.url)
  const toDatabase = await startFaultProxy(t, Number(url.port))
  url.host = toDatabase.address
  const env = { SVC_DB_URL: url.href, SVC_RESOURCE_LISTEN: '127.0.0.1:0' }
  const lagging = await startServiceProcess(t, 'resource', env)
  const direct = openResourceChannel(t, addressOf(resources))
  const contents = openContents(database, direct)
  const ports = [...resources, lagging].map(({ port }) => port)
  const watcher = await openWatcher(t, contents, ports)
  const { replica } = watcher
  const [toSound, toLagging] = watcher.proxies
  const revision = () => replica.namespace('default')?.revision ?? 0
  const write = async (key: string) => {
    const { status } = await api('POST', '/api/v1/flags', { key, name: key })
    if (status !== 200) throw new Error(`a write was answered ${status}`)
  }

  toLagging?.set('cut')
  toDatabase.set('lose')
  await write('first')
  await watcher.catchUp()
  const reached = revision()
  t.ok(reached > 0)

  await t.test('sends no gateway back that has received more', async (t) => {
    toSound?.set('cut')
    toLagging?.set('none')
    await write('second')
    const endAt = performance.now() + staleMs
    while (performance.now() < endAt && revision() === reached) await sleep(20)
    t.equal(revision(), reached)
    t.strictSame(watcher.stepsBack, [])
    t.notOk(replica.isCurrent, 'and does not let it be taken for current')
  })

  await t.test('catches up when the database is back', async (t) => {
    toDatabase.set('none')
    const tookMs = Math.round(await watcher.catchUp())
    const what = 'caught up after its database was lost'
    figure(t, 'R-21', what, { atMost: limitMs, unit: 'ms' }, tookMs)
    t.ok(revision() > reached)
    t.strictSame(watcher.stepsBack, [])
  })
})
