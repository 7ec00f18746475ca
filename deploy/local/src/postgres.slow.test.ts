import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { connectFault, findFreePort } from './ports.ts'
import { findBinaries } from './postgres.cluster.ts'
import { makeDirectory, query, start } from './postgres.test.support.ts'
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
  const wrongPassword = Object.assign(new URL(postgres.url), { password: 'guess' }).href
  await t.rejects(query(wrongPassword, 'SELECT 1'), { cause: { code: '28P01' } })
  t.match(await query(postgres.url, 'SHOW listen_addresses'), [{ listen_addresses: '127.0.0.1' }])
  t.match(await query(postgres.url, 'SHOW unix_socket_directories'), [
    { unix_socket_directories: '' },
  ])
  t.match(await query(postgres.url, 'SHOW fsync'), [{ fsync: 'on' }])
  t.match(readFileSync(join(directory, 'postgres.log'), 'utf8'), /ready to accept connections/)

  await t.test('which ends when it is stopped', async (t) => {
    await postgres.stop()
    await postgres.ended
    await postgres.stop()
    t.equal(findProcess(postgres.pid), undefined)
    t.equal(await connectFault(postgres.port), 'ECONNREFUSED')
  })

  await t.test('and is there again at the next start', async (t) => {
    const port = await findFreePort()
    const again = await startPostgres({ directory, port, durable: false })
    t.teardown(() => again.stop())
    t.match(again, { created: false, port })
    t.equal(new URL(again.url).password, new URL(postgres.url).password)
  })
})

t.test('a platform without binaries gets an error with what to do instead', async (t) => {
  await t.rejects(findBinaries('plan9-mips'), {
    code: 'failed_precondition',
    message:
      'Embedded PostgreSQL is not installed for plan9-mips. Set SVC_DB_URL, or use docker compose up.',
  })
})

const unneeded = process.getuid?.() !== 0 && 'only root needs it'
t.test('for root, the user `nobody` runs it', { skip: unneeded }, async (t) => {
  const directory = makeDirectory(t)
  const { pid, url } = await start(t, directory)
  t.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\t65534\t65534\t/m)
  await query(url, 'SELECT 1')
})
