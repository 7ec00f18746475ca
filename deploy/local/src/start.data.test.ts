import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { emptyDataDirectory, openDataDirectory, shownPath } from './start.data.ts'

t.test('makes the directory, closed to others', async (t) => {
  const directory = join(t.testdir({}), 'a/b')
  const lock = await openDataDirectory(directory)
  t.equal(statSync(directory).mode & 0o066, 0)
  lock.release()
  t.strictSame(readdirSync(directory), ['svc-data'])
})

t.test('takes an empty directory, and one of its own', async (t) => {
  const directory = t.testdir({})
  for (let i = 0; i < 2; i++) (await openDataDirectory(directory)).release()
})

t.test('refuses a directory with anything else in it', async (t) => {
  const directory = t.testdir({ 'thesis.tex': 'Introduction' })
  await t.rejects(openDataDirectory(directory), {
    message: /holds something else\. Use another directory with --data\.$/,
  })
  t.strictSame(readdirSync(directory), ['thesis.tex'])
})

t.test('refuses what is not a directory', async (t) => {
  const file = join(t.testdir({ file: '' }), 'file')
  await t.rejects(openDataDirectory(file), { message: /^Can't use .* for data \(E\w+\)\. / })
})

t.test('refuses, in a sentence, a directory that cannot be written to', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-read-only-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const sentence = {
    name: 'AppError',
    message:
      /^Can't write to .*svc-read-only-\w+ \(EACCES\)\. Use another directory with --data\.$/,
  }
  await t.test('when it is new', async (t) => {
    chmodSync(directory, 0o555)
    await t.rejects(
      withoutPrivileges(() => openDataDirectory(directory)),
      sentence,
    )
  })
  await t.test('when it is one of its own', async (t) => {
    chmodSync(directory, 0o755)
    const lock = await openDataDirectory(directory)
    lock.release()
    chmodSync(directory, 0o555)
    await t.rejects(
      withoutPrivileges(() => openDataDirectory(directory)),
      sentence,
    )
  })
})

/** Runs as a user that permissions hold for. */
async function withoutPrivileges<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await work()
  const nobodyId = 65_534
  process.seteuid?.(nobodyId)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

t.test('refuses at once a directory that cannot be made', async (t) => {
  const start = fileURLToPath(import.meta.resolve('@svc/local/start'))
  // In a process that can be ended: a recursive mkdir there never returned.
  const launched = spawnSync(process.execPath, [start, '--port', '0', '--data', '/proc/x/y'], {
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  })
  t.match(launched.stderr, /^Can't use \/proc\/x\/y for data \(E\w+\)\. .* with --data\.\n$/)
  t.equal(launched.status, 1)
})

t.test('says which process uses it', async (t) => {
  const directory = t.testdir({ 'svc-data': '' })
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 9e5)', 'start.data.test.js'])
  t.teardown(() => holder.kill('SIGKILL'))
  writeFileSync(join(directory, 'lock'), `${holder.pid}\n`)
  await t.rejects(openDataDirectory(directory), {
    message: new RegExp(`is in use by pid ${holder.pid}, another npm start\\. Stop it, or`),
  })
})

t.test('is emptied but for the pid file and the marker', async (t) => {
  const directory = t.testdir({ 'svc-data': '', postgres: { data: { PG_VERSION: '18' } }, log: '' })
  const lock = await openDataDirectory(directory)
  await emptyDataDirectory(directory)
  t.strictSame(readdirSync(directory).toSorted(), ['lock', 'svc-data'])
  lock.release()
})

t.test('is shown as one would type it', async (t) => {
  t.equal(shownPath(join(process.cwd(), '.data')), './.data')
  t.equal(shownPath('/srv/flags'), '/srv/flags')
  t.notOk(existsSync(shownPath('/srv/flags/none')))
})
