import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@svc/local/postgres'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { figure } from '../support/figures.ts'
import { startFleet } from '../support/fleet.ts'

const kills = 20
const writers = 8

t.test('Postgres is killed twenty times during writes', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-durability-'))
  let postgres = await startPostgres({ directory })
  const { port } = postgres
  t.teardown(async () => {
    await postgres.stop()
    await rm(directory, { recursive: true })
  })
  const { api } = await startFleet(t, { databaseUrl: postgres.url })
  const flags = '/api/v1/namespaces/default/flags'

  const acknowledged: string[] = []
  const statuses = new Set<number>()
  let next = 0
  let isOver = false
  const writing = Array.from({ length: writers }, async () => {
    while (!isOver) {
      const key = `flag-${next++}`
      const { status } = await api('POST', flags, { key, name: key })
      statuses.add(status)
      if (status === 200) acknowledged.push(key)
      else await sleep(20)
    }
  })
  for (let i = 0; i < kills; i++) {
    const before = acknowledged.length
    await waitFor(() => acknowledged.length >= before + 20)
    await sleep(Math.random() * 100)
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.ended
    postgres = await startPostgres({ directory, port })
  }
  isOver = true
  await Promise.all(writing)

  await waitFor(async () => (await api('GET', flags)).status === 200)
  const list = await api('GET', flags)
  const kept = new Set((list.body as { flags: { key: string }[] }).flags.map(({ key }) => key))
  t.comment(`${acknowledged.length} acknowledged, ${kept.size} kept`)
  t.ok(acknowledged.length >= kills * 20)
  const lost = acknowledged.filter((key) => !kept.has(key))
  const what = `acknowledged writes lost in ${kills} kills`
  figure(t, 'R-9', what, { atMost: 0 }, lost.length)
  t.strictSame(
    [...statuses].filter((status) => ![200, 503, 504].includes(status)),
    [],
    'what is not acknowledged is answered 503 or 504',
  )
})
