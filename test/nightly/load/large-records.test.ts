import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { nameOfCopy, toggleFlags } from '../../support/many-flags.ts'
import { residentMiB } from '../../support/process-stats.ts'
import { untilReady } from '../../support/stack.ts'
import { many, startLargeNamespace } from './large-namespace.ts'

/** Growth of the resident memory that is left a minute after, in MiB: the texts that are kept take 40. */
const maxGrowthMib = 100

const records = '/internal/v1/evaluation/records/namespace/many'
const stream = `${records}/stream`

t.test('the records of 100,000 flags', async (t) => {
  const { db, fleet, gateway, ask, read, change, measure } = await startLargeNamespace(t)
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

  await t.test('come whole when more than 10,000 of them change', async (t) => {
    const keys = Array.from({ length: 10_001 }, (_, number) => nameOfCopy(many, number))
    for (const [count, event] of [
      [10_000, 'change'],
      [10_001, 'whole'],
    ] as const) {
      const events: string[] = []
      const response = await ask(stream)
      let end = ''
      response.on('data', (chunk: Buffer) => {
        const text = end + chunk.toString('latin1')
        for (const [, name = ''] of text.matchAll(/^event: (\w+)\n/gm)) events.push(name)
        end = text.slice(text.lastIndexOf('\n') + 1)
      })
      await arrived(() => events.length === 1)
      await toggleFlags(db, 'many', keys.slice(0, count))
      await arrived(() => events.length === 2)
      response.destroy()
      t.strictSame(events, ['whole', event], `${count} flags`)
    }
  })

  await sleep(60_000)
  const grown = Math.round(residentMiB(gateway)) - before
  t.comment(`${before} MiB resident before, ${before + grown} MiB a minute after`)
  t.ok(grown <= maxGrowthMib, `${grown} MiB more a minute after than the ${before} MiB before`)
})

/** Many times what it takes, for a machine that does much else. */
async function arrived(isThere: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !isThere(); ) {
    if (Date.now() > deadline) throw new Error('no event came')
    await sleep(20)
  }
}
