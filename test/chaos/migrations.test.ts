import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import { figure } from '../support/figures.ts'
import { startServiceProcess } from '../support/service-process.ts'

/** How often eight processes start on an empty database, and how often one is killed within it. */
const runs = Number(process.env.MIGRATIONS ?? 50)
const kills = Number(process.env.MIGRATION_KILLS ?? 20)
const starters = 8

const main = fileURLToPath(import.meta.resolve('@svc/resource/main'))

const start = (t: Test, { url }: TestDatabase) =>
  startServiceProcess(t, 'resource', { SVC_DB_URL: url, SVC_RESOURCE_LISTEN: '127.0.0.1:0' })

const applied = async (db: TestDatabase) => {
  const rows = await db.query<{ name: string }>('SELECT name FROM resource.migrations ORDER BY id')
  return rows.map(({ name }) => name)
}

t.test('migrations', { timeout: 1_200_000 }, async (t) => {
  /** Those of a database that one process has migrated alone. */
  let whole: readonly string[] = []
  await t.test('by one process', async (t) => {
    const db = await createTestDatabase(t)
    await start(t, db)
    whole = await applied(db)
    t.ok(whole.length > 5, `${whole.length} migrations`)
  })

  let wrong = 0
  let ready = 0
  for (let run = 0; run < runs; run += 1) {
    await t.test(`by ${starters} processes at once, run ${run}`, async (t) => {
      const db = await createTestDatabase(t)
      const started = await Promise.allSettled(Array.from({ length: starters }, () => start(t, db)))
      ready += started.filter(({ status }) => status === 'fulfilled').length
      if (`${await applied(db)}` !== `${whole}`) wrong += 1
    })
  }
  const unready = runs * starters - ready
  figure(t, 'R-18', `processes of ${runs * starters} that are not ready`, { atMost: 0 }, unready)
  figure(t, 'R-18', 'runs with a migration missing or twice', { atMost: 0 }, wrong)

  let torn = 0
  for (let kill = 0; kill < kills; kill += 1) {
    await t.test(`by a process that is killed, ${kill}`, async (t) => {
      const db = await createTestDatabase(t)
      const child = spawn(process.execPath, [main, 'migrate'], {
        env: { PATH: process.env.PATH, SVC_CONFIG: '', SVC_DB_URL: db.url },
        stdio: 'ignore',
      })
      const ended = once(child, 'exit')
      const isThere = () =>
        db.query('SELECT 1 FROM resource.migrations').then(
          () => true,
          () => false,
        )
      const startedAt = performance.now()
      // Some before the first migration, and the others within them or soon after.
      while (kill % 4 !== 0 && child.exitCode === null && !(await isThere())) await sleep(5)
      const readyMs = performance.now() - startedAt
      await sleep(Math.random() * (kill % 4 === 0 ? 800 : readyMs / 4))
      child.kill('SIGKILL')
      await ended
      const before: readonly string[] = await applied(db).catch(() => [])
      const isPrefix = `${whole.slice(0, before.length)}` === `${before}`
      await start(t, db)
      if (!isPrefix || `${await applied(db)}` !== `${whole}`) torn += 1
    })
  }
  figure(t, 'R-18', `schemas of ${kills} that are torn by a kill`, { atMost: 0 }, torn)
})
