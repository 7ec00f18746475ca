import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { percentiles, quantile, startLoad } from '../../support/load.ts'
import { residentMiB } from '../../support/process-stats.ts'
import type { Report } from './event-clients.ts'

const clients = 5000
const changes = 11
const maxP99Ms = 500
const maxKilobytes = 30

/** Sockets of the clients, and what a process has besides. */
const filesNeeded = clients + 200

t.test(`one change for ${clients} event streams`, async (t) => {
  const limit = execFileSync('/bin/sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  if (limit !== 'unlimited' && Number(limit) < filesNeeded) {
    t.comment(`a process may open ${limit} files here, and this takes ${filesNeeded}`)
    t.fail('raise the limit with ulimit -n')
    return
  }
  const { urls, token, api, gateways } = await startFleet(t)
  const [gateway] = gateways
  if (gateway === undefined) throw new Error('no fleet')
  const flag = '/api/v1/namespaces/default/flags/on'
  await api('POST', '/api/v1/namespaces/default/flags', {
    key: 'on',
    name: 'On',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: true,
  })
  const bulk = await api('POST', '/ofrep/v1/evaluate/flags', {})
  const { eventStreams } = bulk.body as {
    eventStreams: [{ endpoint: { requestUri: string } }]
  }
  await sleep(2000)
  const before = residentMiB(gateway)
  const startedAt = performance.now()
  const program = fileURLToPath(new URL('./event-clients.js', import.meta.url))
  const child = fork(program, [
    String(gateway.port),
    eventStreams[0].endpoint.requestUri,
    String(clients),
  ])
  t.teardown(async () => {
    child.kill()
  })
  await once(child, 'message')
  t.comment(`connected in ${Math.round(performance.now() - startedAt)} ms`)
  // Long enough for two heartbeats of each.
  await sleep(31_000)
  const kilobytes = ((residentMiB(gateway) - before) * 1024) / clients
  t.comment(`${kilobytes.toFixed(1)} KB of the gateway's memory for each idle client`)
  t.ok(kilobytes < maxKilobytes, `${kilobytes.toFixed(1)} KB, at most ${maxKilobytes}`)

  const report = async (): Promise<Report> => {
    child.send('report')
    const [answer] = await once(child, 'message')
    return answer as Report
  }
  t.equal((await report()).open, clients, 'all of them stay')

  const latenciesMs: number[] = []
  const headers = { authorization: `Bearer ${token}` }
  const evaluate = async () => {
    const answer = await call(urls[0], 'POST', '/evaluate/v1/boolean', { flagKey: 'on' }, headers)
    return String(answer.status)
  }
  const p99s: number[] = []
  for (let i = 0; i < changes; i++) {
    const load = startLoad(50, evaluate)
    const changedAtMs = Number(process.hrtime.bigint()) / 1e6
    const { headers } = await api('PUT', flag, { name: `On ${i}`, enabled: true })
    const revision = (headers.get('x-svc-revision') ?? '').replace('default:', '')
    const ids = Array.from({ length: clients }, (): string[] => [])
    let lastAtMs: readonly number[] = []
    const collect = async () => {
      const got = await report()
      for (const [client, more] of got.ids.entries()) ids[client]?.push(...more)
      lastAtMs = got.lastAtMs
    }
    // However busy the machine is, the events come; and then nothing more does.
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(200)) {
      await collect()
      if (ids.every(({ length }) => length > 0)) break
    }
    await sleep(500)
    await collect()
    const { outcomes, tookMs } = await load.stop()
    latenciesMs.push(...tookMs)
    t.strictSame(Object.keys(outcomes), ['200'])
    const wrong = ids.map((got) => got.join()).filter((got) => got !== revision)
    const summary = Object.entries(Object.groupBy(wrong, (got) => got)).map(
      ([got, alike]) => `${alike?.length} clients: ${got || 'none'}`,
    )
    t.strictSame(summary, [], 'each client has exactly one event, that of the change')
    const delaysMs = lastAtMs.map((ms) => ms - changedAtMs)
    p99s.push(quantile(delaysMs, 0.99))
    t.comment(`after the change was sent: ${percentiles(delaysMs)} ms`)
  }
  const median = quantile(p99s, 0.5)
  t.comment(
    `99% of the clients have it within ${median.toFixed()} ms (median of ${changes} changes)`,
  )
  t.ok(median <= maxP99Ms)
  t.comment(`evaluations meanwhile: ${percentiles(latenciesMs)} ms`)
})
