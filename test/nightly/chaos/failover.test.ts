import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withSession } from '@svc/database/testing'
import { findFreePort } from '@svc/local/ports'
import { startPostgres } from '@svc/local/postgres'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import { figure, wrongOf } from '../../support/figures.ts'
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

type Server = PostgresServer & {
  readonly directory: string
  /** By which the services reach it. */
  readonly link: FaultProxy
}

/** What happens to the primary before its standby is promoted. */
const losses: readonly { readonly how: string; lose(primary: Server): Promise<unknown> }[] = [
  {
    how: 'killed',
    lose(primary) {
      process.kill(primary.pid, 'SIGKILL')
      return primary.ended
    },
  },
  // Its connections stay open, and nothing comes of them any more.
  { how: 'cut off', lose: async (primary) => primary.link.set('lose') },
  { how: 'stopped in order', lose: (primary) => primary.stop() },
  {
    // Its connections stay open, and writes are refused.
    how: 'made read-only',
    lose: (primary) =>
      withSession(primary.url, async (admin) => {
        await admin.query('ALTER SYSTEM SET default_transaction_read_only = on')
        await admin.query('SELECT pg_reload_conf()')
      }),
  },
]

/** A primary with a synchronous standby, which change places. */
async function startPair(t: Test) {
  const root = await mkdtemp(join(tmpdir(), 'svc-failover-'))
  const ports = [await findFreePort(), await findFreePort()] as const
  const links = [await startFaultProxy(t, ports[0]), await startFaultProxy(t, ports[1])] as const
  const [one, two] = [join(root, 'one'), join(root, 'two')]
  let primary: Server = {
    ...(await startPostgres({ directory: one, port: ports[0] })),
    directory: one,
    link: links[0],
  }
  t.teardown(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  t.teardown(async () => primary.stop())
  const follow = async (directory: string, port: number, link: FaultProxy): Promise<Server> => {
    const started = await startStandby(primary, directory, { port })
    await waitForSynchronous(primary)
    return { ...started, directory, link }
  }
  let standby = await follow(two, ports[1], links[1])
  t.teardown(async () => standby.stop())
  return {
    url: primary.url.replace(/127\.0\.0\.1:\d+/, links.map(({ address }) => address).join()),
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
      await lost.stop()
      lost.link.set('none')
      standby = await follow(lost.directory, lost.port, lost.link)
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
    times.push(tookMs)
    t.comment(`${loss.how}: writes are back ${tookMs} ms after the promotion`)
    await pair.rejoin(lost)
  }
  isOver = true
  await Promise.all(writing)

  await waitFor(async () => (await api('GET', flags)).status === 200)
  const list = await api('GET', flags)
  const kept = new Set((list.body as { flags: { key: string }[] }).flags.map(({ key }) => key))
  const { outcomes, took } = await outages.takeOutcomes()
  t.comment(`${acknowledged.length} acknowledged writes, answers ${JSON.stringify(statuses)}`)
  t.comment(`evaluations: ${JSON.stringify(outcomes)}; ${took} ms`)
  const lost = acknowledged.filter((key) => !kept.has(key))
  const others = Object.keys(statuses).filter((status) => !['200', '503', '504'].includes(status))
  const what = `acknowledged writes lost in ${failovers} failovers`
  figure(t, 'R-7', what, { atMost: 0 }, lost.length)
  const back = { atMost: backMs, unit: 'ms' }
  figure(t, 'R-7', 'writes are back after the promotion', back, Math.max(...times))
  figure(t, 'R-7', 'failed evaluations', { atMost: 0 }, wrongOf(outcomes))
  t.strictSame(others, [], 'what is not acknowledged is answered 503 or 504')
})
