import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { startLoad } from '../../support/load.ts'
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
  const database = await createTestDatabase(t)
  const { urls, token, api, gateways } = await startFleet(t, { databaseUrl: database.url })
  const [gateway] = gateways
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
  const residentBytes = () => {
    const status = readFileSync(`/proc/${gateway?.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }

  await sleep(2000)
  const before = residentBytes()
  const startedAt = performance.now()
  const program = fileURLToPath(new URL('./event-clients.js', import.meta.url))
  const child = fork(program, [
    String(gateway?.port),
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
  const kilobytes = (residentBytes() - before) / clients / 1024
  t.comment(`${kilobytes.toFixed(1)} KB of the gateway's memory for each idle client`)
  t.ok(kilobytes < maxKilobytes)

  const report = async (): Promise<Report> => {
    child.send('report')
    const [answer] = await once(child, 'message')
    return answer as Report
  }
  t.equal((await report()).open, clients, 'all of them stay')

  const latenciesMs: number[] = []
  const headers = { authorization: `Bearer ${token}` }
  const evaluate = async () => {
    const askedAt = performance.now()
    const answer = await call(urls[0], 'POST', '/evaluate/v1/boolean', { flagKey: 'on' }, headers)
    latenciesMs.push(performance.now() - askedAt)
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
    t.strictSame(Object.keys(await load.stop()), ['200'])
    const wrong = ids.map((got) => got.join()).filter((got) => got !== revision)
    const summary = Object.entries(Object.groupBy(wrong, (got) => got)).map(
      ([got, alike]) => `${alike?.length} clients: ${got || 'none'}`,
    )
    t.strictSame(summary, [], 'each client has exactly one event, that of the change')
    const delaysMs = lastAtMs.map((ms) => ms - changedAtMs).sort((a, b) => a - b)
    const at = (share: number) => delaysMs[Math.floor((delaysMs.length - 1) * share)] ?? Number.NaN
    p99s.push(at(0.99))
    t.comment(
      `after the change was sent: first ${at(0).toFixed()} ms, half ${at(0.5).toFixed()} ms, ` +
        `99% ${at(0.99).toFixed()} ms, last ${at(1).toFixed()} ms`,
    )
  }
  const median = p99s.sort((a, b) => a - b)[Math.floor(changes / 2)] ?? Number.NaN
  t.comment(
    `99% of the clients have it within ${median.toFixed()} ms (median of ${changes} changes)`,
  )
  t.ok(median <= maxP99Ms)
  const slowest = latenciesMs.sort((a, b) => a - b).at(-1) ?? Number.NaN
  const middle = latenciesMs[latenciesMs.length >> 1] ?? Number.NaN
  t.comment(
    `evaluations meanwhile: half within ${middle.toFixed(1)} ms, all within ${slowest.toFixed()} ms`,
  )
})
