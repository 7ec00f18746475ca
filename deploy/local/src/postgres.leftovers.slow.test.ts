import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@svc/database'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import {
  log,
  makeDirectory,
  pathWithoutTies,
  query,
  saidBy,
  spawnStarter,
  start,
} from './postgres.test.support.ts'
import { findProcess, tiedToParent } from './processes.ts'

t.test('a server that is killed loses nothing that was acknowledged', async (t) => {
  const directory = makeDirectory(t)
  const first = await start(t, directory)
  await query(first.url, 'CREATE TABLE numbers (n int)')
  let acknowledged = 0
  const writing = (async () => {
    const db = openDatabase(first.url, { name: 'test', maxConnections: 1, log })
    try {
      for (;;) {
        await db.query('INSERT INTO numbers VALUES ($1)', [acknowledged])
        acknowledged += 1
      }
    } catch {
      await db.close()
    }
  })()
  while (acknowledged < 100) await sleep(10)
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  await writing

  const second = await start(t, directory)
  t.match(second, { created: false })
  const [row] = await query(second.url, 'SELECT count(*) AS count FROM numbers')
  t.match(row, { count: Number }, `${acknowledged} were acknowledged`)
  const missing = `SELECT n FROM generate_series(0, ${acknowledged - 1}) AS n EXCEPT TABLE numbers`
  t.strictSame(await query(second.url, missing), [])
})

t.test('a start that is killed on the way leaves nothing that stops the next', async (t) => {
  for (const afterMs of [50, 300, 600]) {
    await t.test(`after ${afterMs} ms`, async (t) => {
      const directory = makeDirectory(t)
      const starter = spawnStarter(t, directory)
      while (!existsSync(directory)) await sleep(5)
      await sleep(afterMs)
      starter.kill('SIGKILL')
      await once(starter, 'exit')
      const postgres = await start(t, directory)
      await query(postgres.url, 'SELECT 1')
      t.strictSame(readdirSync(directory).sort(), ['data', 'postgres.log'])
    })
  }
})

const untied = tiedToParent().length === 0 && 'this system cannot tie processes together'
const endsWith = 'the server ends with the process that started it, however that ends'
t.test(endsWith, { skip: untied }, async (t) => {
  const directory = makeDirectory(t)
  const starter = spawnStarter(t, directory)
  const { pid } = await saidBy(starter)
  starter.kill('SIGKILL')
  await waitFor(() => findProcess(pid) === undefined)
  t.match(await start(t, directory), { created: false })
})

t.test('or else it is ended by the next start', async (t) => {
  const directory = makeDirectory(t)
  const starter = spawnStarter(t, directory, { PATH: pathWithoutTies(t) })
  const { pid, url } = await saidBy(starter)
  await query(url, 'CREATE TABLE kept ()')
  starter.kill('SIGKILL')
  await once(starter, 'exit')
  t.ok(findProcess(pid), 'it outlived its parent')

  const postgres = await start(t, directory)
  t.equal(findProcess(pid), undefined)
  t.equal(postgres.created, false)
  await query(postgres.url, 'TABLE kept')
})

t.test('a lock file with the number of another program does not stop it', async (t) => {
  const directory = makeDirectory(t)
  const first = await start(t, directory)
  const lockFile = join(directory, 'data', 'postmaster.pid')
  const other = spawn('sleep', ['60'])
  t.teardown(() => other.kill())
  const lock = readFileSync(lockFile, 'utf8').replace(/^\d+/, String(other.pid))
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  writeFileSync(lockFile, lock)
  t.match(await start(t, directory), { created: false })
})
