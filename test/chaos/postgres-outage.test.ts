import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@svc/local/postgres'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { startLoad } from '../support/load.ts'

const outageMs = 30_000
const evaluationsPerSecond = 200

t.test('while Postgres is dead for 30 seconds', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-outage-'))
  let postgres = await startPostgres({ directory })
  const { port } = postgres
  t.teardown(async () => {
    await postgres.stop()
    await rm(directory, { recursive: true })
  })
  const { urls, token, api } = await startFleet(t, { databaseUrl: postgres.url })
  const [url] = urls
  const flags = '/api/v1/namespaces/default/flags'
  await api('POST', flags, { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true })
  const headers = { authorization: `Bearer ${token}` }
  const evaluate = async () => {
    const answer = await call(url, 'POST', '/evaluate/v1/boolean', { flagKey: 'on' }, headers)
    return answer.status === 200 && (answer.body as { enabled: boolean }).enabled
      ? 'right'
      : `${answer.status} ${answer.text}`
  }
  for (const deadline = Date.now() + 5000; (await evaluate()) !== 'right'; await sleep(20)) {
    if (Date.now() > deadline) throw new Error('the flag was not served')
  }

  const load = startLoad(evaluationsPerSecond, evaluate)
  await sleep(2000)
  process.kill(postgres.pid, 'SIGKILL')
  const killedAt = performance.now()
  const writes: { status: number; tookMs: number }[] = []
  while (performance.now() - killedAt < outageMs) {
    const startedAt = performance.now()
    const { status } = await api('POST', flags, { key: `w${writes.length}`, name: 'W' })
    writes.push({ status, tookMs: performance.now() - startedAt })
    await sleep(500)
  }
  postgres = await startPostgres({ directory, port })
  const restartedAt = performance.now()
  let recoveredMs = Number.POSITIVE_INFINITY
  while (performance.now() - restartedAt < 10_000) {
    const { status } = await api('POST', flags, { key: 'after', name: 'After' })
    if (status === 200 || status === 409) {
      recoveredMs = performance.now() - restartedAt
      break
    }
    await sleep(50)
  }
  await sleep(2000)
  const outcomes = await load.stop()

  t.comment(`evaluations: ${JSON.stringify(outcomes)}; writes refused: ${writes.length}`)
  t.ok((outcomes.right ?? 0) > evaluationsPerSecond * 25, 'the load was there')
  t.strictSame(Object.keys(outcomes), ['right'], 'no evaluation failed or was wrong')
  t.strictSame([...new Set(writes.map(({ status }) => status))], [503], 'writes answer 503')
  const slowest = Math.round(Math.max(...writes.map(({ tookMs }) => tookMs)))
  t.ok(slowest <= 1000, `writes are refused within a second: ${slowest} ms at most`)
  t.ok(recoveredMs <= 3000, `writes are back ${Math.round(recoveredMs)} ms after Postgres`)
  const changed = await api('PUT', `${flags}/on`, { name: 'On', enabled: false })
  t.equal(changed.status, 200)
  await sleep(1500)
  t.not(await evaluate(), 'right', 'changes reach evaluation again')
})
