import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { findFreePort, isListening } from './ports.ts'
import { findPostgresBinaries } from './postgres.binaries.ts'
import {
  makeDirectory,
  pathWith,
  query,
  saidBy,
  spawnStarter,
  start,
  whenGone,
} from './postgres.test.support.ts'
import { startPostgres } from './postgres.ts'
import { findProcess } from './processes.ts'

t.test('the first start makes a database for its owner alone', async (t) => {
  const directory = makeDirectory(t)
  const postgres = await start(t, directory)
  t.match(postgres, { created: true })
  t.match(await query(postgres.url, 'SHOW server_version'), [{ server_version: /^18\./ }])

  for (const name of ['.', 'data']) {
    t.equal(statSync(join(directory, name)).mode & 0o77, 0, `${name} is closed to other users`)
  }
  const stranger = Object.assign(new URL(postgres.url), { password: 'guess' }).href
  await t.rejects(query(stranger, 'SELECT 1'), { cause: { code: '28P01' } })
  t.match(await query(postgres.url, 'SHOW listen_addresses'), [{ listen_addresses: '127.0.0.1' }])
  t.match(await query(postgres.url, 'SHOW unix_socket_directories'), [
    { unix_socket_directories: '' },
  ])
  t.match(await query(postgres.url, 'SHOW fsync'), [{ fsync: 'on' }])
  t.match(readFileSync(join(directory, 'postgres.log'), 'utf8'), /ready to accept connections/)

  await t.test('which ends when it is told to', async (t) => {
    await postgres.stop()
    await postgres.ended
    await postgres.stop()
    t.equal(findProcess(postgres.pid), undefined)
    t.notOk(await isListening(postgres.port))
  })

  await t.test('and is there again at the next start', async (t) => {
    const port = await findFreePort()
    const again = await startPostgres({ directory, port, durable: false })
    t.teardown(() => again.stop())
    t.match(again, { created: false, port })
    t.equal(new URL(again.url).password, new URL(postgres.url).password)
  })
})

t.test('a busy port is named', async (t) => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.teardown(() => busy.close())
  const address = busy.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await t.rejects(startPostgres({ directory: makeDirectory(t), port }), {
    code: 'failed_precondition',
    message: `Port ${port} is in use. Use another one, or stop what uses it.`,
  })
})

t.test('a platform without binaries is told what to do instead', async (t) => {
  await t.rejects(findPostgresBinaries('plan9-mips'), {
    code: 'failed_precondition',
    message:
      'Embedded PostgreSQL is not installed for plan9-mips. Set SVC_DB_URL, or use docker compose up.',
  })
})

const unneeded = process.getuid?.() !== 0 && 'only root needs it'
t.test(
  'where root may not make a namespace, the user `nobody` runs it',
  { skip: unneeded },
  async (t) => {
    const { initdb } = await findPostgresBinaries()
    const reachable = spawnSync('test', ['-x', initdb], { uid: 65534 }).status === 0
    const directory = makeDirectory(t)
    mkdirSync(directory)
    if (reachable) spawnSync('chmod', ['755', join(directory, '..')])
    const starter = spawnStarter(t, directory, { PATH: pathWith(t, ['setpriv', 'test', 'true']) })
    const said = await saidBy(starter)
    if (!reachable) {
      t.match(said, { message: /won't run as root/ })
      return
    }
    t.equal(statSync(`/proc/${said.pid}`).uid, 65534)
    await query(said.url, 'SELECT 1')
    starter.kill('SIGKILL')
    t.ok(await whenGone(said.pid, 5000))
    await t.test('and goes on doing so where it may', async (t) => {
      const { pid } = await start(t, directory)
      t.equal(statSync(`/proc/${pid}`).uid, 65534)
    })
  },
)
