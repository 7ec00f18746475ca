import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@svc/local/ports'
import { startPostgres } from '@svc/local/postgres'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { timeUntil } from '../../support/load.ts'
import {
  type PostgresServer,
  promote,
  startStandby,
  waitForSynchronous,
} from '../../support/replication.ts'
import { openOutages } from './outages.observer.ts'

/** Ten, unless the environment says less. */
const failovers = Number(process.env.FAILOVERS ?? 10)

const writers = 4

/** Evaluations. Few, as all the servers and their base backups share one machine. */
const perSecond = 100

/** How soon after the promotion a write succeeds. */
const backMs = 5000

type Server = PostgresServer & { readonly directory: string }

/** What happens to the primary before its standby is promoted. */
const losses: readonly { readonly how: string; lose(primary: Server): Promise<unknown> }[] = [
  {
    how: 'killed',
    lose(primary) {
      process.kill(primary.pid, 'SIGKILL')
      return primary.ended
    },
  },
  { how: 'stopped in order', lose: (primary) => primary.stop() },
]

/** A primary with a synchronous standby, which change places. */
async function startPair(t: Test) {
  const root = await mkdtemp(join(tmpdir(), 'svc-failover-'))
  const ports = [await findFreePort(), await findFreePort()] as const
  const [one, two] = [join(root, 'one'), join(root, 'two')]
  let primary: Server = {
    ...(await startPostgres({ directory: one, port: ports[0] })),
    directory: one,
  }
  t.teardown(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  t.teardown(async () => primary.stop())
  const follow = async (directory: string, port: number): Promise<Server> => {
    const started = await startStandby(primary, directory, { port })
    await waitForSynchronous(primary)
    return { ...started, directory }
  }
  let standby = await follow(two, ports[1])
  t.teardown(async () => standby.stop())
  return {
    url: primary.url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join()),
    get primary() {
      return primary
    },
    /** Promotes the standby. */
    async failOver() {
      const old = primary
      await promote(standby)
      primary = standby
      return old
    },
    /** Makes a server that is lost the standby of the primary. */
    async rejoin(lost: Server) {
      standby = await follow(lost.directory, lost.port)
    },
  }
}

t.test(`${failovers} failovers to a synchronous standby`, { timeout: 1_800_000 }, async (t) => {
  const pair = await startPair(t)
  const fleet = await startFleet(t, {
    databaseUrl: `${pair.url}?target_session_attrs=read-write`,
    auths: 2,
    resources: 2,
  })
  const outages = await openOutages(t, fleet, perSecond)
  const { api } = fleet
  const flags = '/api/v1/namespaces/default/flags'
  const acknowledged: string[] = []
  const statuses: Record<number, number> = {}
  let next = 0
  let isOver = false
  const write = async () => {
    const key = `written-${next++}`
    const { status } = await api('POST', flags, { key, name: key })
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) acknowledged.push(key)
    return status === 200
  }
  const writing = Array.from({ length: writers }, async () => {
    while (!isOver) {
      await write()
      await sleep(20)
    }
  })
  const times: number[] = []
  for (let i = 0; i < failovers; i += 1) {
    const loss = losses[i % losses.length] ?? losses[0]
    if (loss === undefined) throw new Error('no way to lose a server')
    const before = acknowledged.length
    await waitFor(() => acknowledged.length >= before + 20)
    await loss.lose(pair.primary)
    const lost = await pair.failOver()
    const atPromotion = acknowledged.length
    const tookMs = await timeUntil(async () => acknowledged.length > atPromotion, 30_000)
    times.push(Math.round(tookMs))
    t.ok(
      tookMs <= backMs,
      `${loss.how}: writes are back ${Math.round(tookMs)} ms after the promotion`,
    )
    await pair.rejoin(lost)
  }
  isOver = true
  await Promise.all(writing)

  await waitFor(async () => (await api('GET', flags)).status === 200)
  const list = await api('GET', flags)
  const kept = new Set((list.body as { flags: { key: string }[] }).flags.map(({ key }) => key))
  const { outcomes, took } = await outages.takeOutcomes()
  t.comment(`${acknowledged.length} acknowledged writes, answers ${JSON.stringify(statuses)}`)
  t.comment(`writes were back after ${times.join(', ')} ms`)
  t.comment(`evaluations: ${JSON.stringify(outcomes)}; ${took} ms`)
  t.strictSame(
    acknowledged.filter((key) => !kept.has(key)),
    [],
    'no acknowledged write is lost',
  )
  t.strictSame(
    Object.keys(statuses).filter((status) => !['200', '503', '504'].includes(status)),
    [],
    'what is not acknowledged is answered 503 or 504',
  )
  t.strictSame(Object.keys(outcomes), ['right'], 'no evaluation failed or was wrong')
})
