import { get, type IncomingMessage } from 'node:http'
import { createTestDatabase, type TestDatabase } from '@svc/database/testing'
import { loadDemo } from '@svc/local/demo'
import { type Fleet, startFleet } from '../../support/fleet.ts'
import type { Test } from '../../support/listen.ts'
import { quantile } from '../../support/load.ts'
import { makeManyFlags, toggleFlag } from '../../support/many-flags.ts'
import { residentMiB } from '../../support/process-stats.ts'
import type { ServiceProcess } from '../../support/service-process.ts'
import { longestTurnOf, turnProbe } from '../../support/turn-probe.ts'

/** Longest turn of the event loop, in milliseconds of processor time; the median of the repetitions. */
const maxTurnMs = 20
const repetitions = 5

export const many = {
  namespaceKeys: ['many'],
  count: 100_000,
  copied: ['new-checkout', 'theme-color', 'beta-banner', 'api-limits'],
}

export interface LargeNamespace {
  readonly db: TestDatabase
  readonly fleet: Fleet
  /** Killed; it has the flags when it is started again. */
  readonly gateway: ServiceProcess
  ask(path: string, more?: Headers): Promise<IncomingMessage>
  /**
   * Reads an answer, of a stream the first event.
   *
   * @returns its bytes
   */
  read(path: string, headers?: Headers): Promise<number>
  /** Changes one flag. @returns what a read of the result needs */
  change(): Promise<Headers>
  /** Holds the longest turn of the gateway's event loop against a limit. */
  measure(name: string, work: () => Promise<unknown>, options?: MeasureOptions): Promise<void>
}

/** The test, as far as it is needed. */
interface Measured extends Test {
  comment(text: string): void
  ok(value: unknown, name: string): unknown
}

type Headers = Readonly<Record<string, string>>

interface MeasureOptions {
  readonly prepare?: () => Promise<void>
  readonly limitMs?: number
}

/** What comes before the last byte of a snapshot or of records as an event. */
const endOfEvent = Buffer.from(']}\n\n')

/** 100,000 flags in the namespace `many`, and a gateway whose turns can be measured. */
export async function startLargeNamespace(t: Measured): Promise<LargeNamespace> {
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

  const ask = (path: string, more: Headers = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${fleet.token}`, ...more }
      get(fleet.urls[0] + path, { headers, agent: false }, resolve).on('error', reject)
    })
  return {
    db,
    fleet,
    gateway,
    ask,
    async read(path, headers) {
      const response = await ask(path, headers)
      const isStream = response.headers['content-type'] === 'text/event-stream'
      let bytes = 0
      for await (const chunk of response) {
        bytes += chunk.length
        if (isStream && chunk.subarray(-4).equals(endOfEvent)) break
      }
      response.destroy()
      return bytes
    },
    async change() {
      const { revision } = await toggleFlag(db, 'many', 'new-checkout-0')
      return { 'x-svc-min-revision': `many:${revision}` }
    },
    async measure(name, work, { prepare = async () => {}, limitMs = maxTurnMs } = {}) {
      const turns: number[] = []
      for (let i = 0; i < repetitions; i++) {
        await prepare()
        turns.push(await longestTurnOf(gateway, work))
      }
      const medianMs = quantile(turns, 0.5)
      const list = turns.map((ms) => ms.toFixed(1)).join(', ')
      t.comment(
        `${name}: longest turns ${list} ms; ${Math.round(residentMiB(gateway))} MiB resident`,
      )
      t.ok(medianMs <= limitMs, `${name}: ${medianMs.toFixed(1)} ms, the median of ${repetitions}`)
    },
  }
}
