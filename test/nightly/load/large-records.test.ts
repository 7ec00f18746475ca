import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { residentMiB } from '../../support/process-stats.ts'
import { untilReady } from '../../support/stack.ts'
import { startLargeNamespace } from './large-namespace.ts'

/** Growth of the resident memory that is left a minute after, in MiB: the texts that are kept take 40. */
const maxGrowthMib = 100

const records = '/internal/v1/evaluation/records/namespace/many'
const stream = `${records}/stream`

t.test('the records of 100,000 flags', async (t) => {
  const { fleet, gateway, read, change, measure } = await startLargeNamespace(t)
  const start = async () => {
    await gateway.kill()
    await gateway.restart()
    await untilReady(fleet.urls[0])
    // What has not been needed is compiled after that.
    await sleep(3000)
  }
  await start()
  // Time for the garbage collector, so that the start counts for nothing in what follows.
  await sleep(10_000)
  const before = Math.round(residentMiB(gateway))

  await measure('the first ones after a start', () => read(stream), { prepare: start })
  await measure('as they are', async () => read(records, await change()))
  await measure('compressed', async () => {
    return read(records, { ...(await change()), 'accept-encoding': 'gzip' })
  })
  await measure('as an event', async () => read(stream, await change()))

  await sleep(60_000)
  const grown = Math.round(residentMiB(gateway)) - before
  t.comment(`${before} MiB resident before, ${before + grown} MiB a minute after`)
  t.ok(grown <= maxGrowthMib, `${grown} MiB more a minute after than the ${before} MiB before`)
})
