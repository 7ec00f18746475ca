import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyDataDirectory, openDataDirectory, shownPath } from './start.data.ts'

t.test(
  'makes the directory, closed to others, and takes it again once it is released',
  async (t) => {
    const directory = join(t.testdir({}), 'data')
    for (let i = 0; i < 2; i++) {
      const { wasInUse, release } = openDataDirectory(directory)
      t.equal(wasInUse, false)
      t.equal(statSync(directory).mode & 0o077, 0)
      t.equal(readFileSync(join(directory, 'lock'), 'utf8'), `${process.pid}\n`)
      release()
      t.strictSame(readdirSync(directory), ['svc-data'])
    }
  },
)

t.test('takes an empty directory', async (t) => {
  openDataDirectory(t.testdir({})).release()
})

t.test('refuses a directory with anything else in it', async (t) => {
  const directory = t.testdir({ 'thesis.tex': 'Introduction' })
  t.throws(() => openDataDirectory(directory), {
    message: /holds something else\. Use another directory with --data\.$/,
  })
  t.strictSame(readdirSync(directory), ['thesis.tex'])
})

t.test('refuses, in a sentence, what it cannot write to', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-read-only-'))
  t.teardown(() => rmSync(parent, { recursive: true }))
  chmodSync(parent, 0o755)
  writeFileSync(join(parent, 'file'), '')
  openDataDirectory(join(parent, 'own')).release()
  for (const name of ['own', '.']) chmodSync(join(parent, name), 0o555)
  for (const [name, code] of [
    ['file', 'ENOTDIR'],
    ['none/data', 'ENOENT'],
    ['new', 'EACCES'],
    ['own', 'EACCES'],
  ] as const) {
    const sentence = `Can't write to ${parent}/${name} (${code}). Use another directory with --data.`
    t.throws(() => withoutPrivileges(() => openDataDirectory(join(parent, name))), {
      name: 'AppError',
      message: sentence,
    })
  }
})

/** Runs as a user that permissions hold for. */
function withoutPrivileges(work: () => unknown): unknown {
  if (process.getuid?.() !== 0) return work()
  const nobodyId = 65_534
  process.seteuid?.(nobodyId)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

/** The script of this test, which a process has to run to count as a holder. */
const script = basename(process.argv[1] ?? '')

/** @returns the pid of a process that runs until the test ends */
async function start(t: Test, argument: string, kill = false): Promise<number> {
  const code = 'setInterval(() => {}, 9e5); console.log()'
  const child = spawn(process.execPath, ['-e', code, argument])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  if (kill) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return child.pid ?? 0
}

t.test('says which process uses it', async (t) => {
  const pid = await start(t, script)
  const directory = t.testdir({ 'svc-data': '', lock: `${pid}\n` })
  t.throws(() => openDataDirectory(directory), {
    message: new RegExp(`is in use by pid ${pid}, another npm start\\. Stop it, or use --data`),
  })
  t.equal(readFileSync(join(directory, 'lock'), 'utf8'), `${pid}\n`)
})

t.test('is taken over from a process that was killed', async (t) => {
  const stale = {
    'its process is gone': `${await start(t, script, true)}\n`,
    'another program has the number': `${await start(t, 'another-program.js')}\n`,
    'this process has the number': `${process.pid}\n`,
    'it is empty': '',
    'it has no number': '{"children":[]}',
  }
  for (const [reason, lock] of Object.entries(stale)) {
    const directory = t.testdir({ 'svc-data': '', lock })
    const { wasInUse, release } = openDataDirectory(directory)
    t.equal(wasInUse, true, reason)
    t.equal(readFileSync(join(directory, 'lock'), 'utf8'), `${process.pid}\n`)
    release()
  }
})

t.test('is taken over by one of six processes at once', async (t) => {
  const module = new URL('./start.data.js', import.meta.url).href
  const code = `import { createInterface } from 'node:readline'
    import { openDataDirectory } from '${module}'
    for await (const directory of createInterface(process.stdin)) {
      try {
        openDataDirectory(directory)
        console.log('taken')
      } catch (error) {
        console.log(error.message)
      }
    }`
  const starters = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, 'starter.js'])
    t.teardown(() => child.kill('SIGKILL'))
    return child
  })
  for (let round = 0; round < 400; round++) {
    const directory = t.testdir({ 'svc-data': '', lock: '{}' })
    const said = await Promise.all(
      starters.map(async ({ stdin, stdout }) => {
        stdin.write(`${directory}\n`)
        return String(await once(stdout, 'data'))
      }),
    )
    const refused = said.filter((text) => / is in use by pid \d+, another npm start/.test(text))
    t.strictSame([said.length - refused.length, said.includes('taken\n')], [1, true], said.join(''))
  }
})

t.test('is emptied but for the lock and the marker', async (t) => {
  const directory = t.testdir({ 'svc-data': '', postgres: { data: { PG_VERSION: '18' } }, log: '' })
  const { release } = openDataDirectory(directory)
  await emptyDataDirectory(directory)
  t.strictSame(readdirSync(directory).toSorted(), ['lock', 'svc-data'])
  release()
})

t.test('is shown as one would type it', async (t) => {
  t.equal(shownPath(join(process.cwd(), '.data')), './.data')
  t.equal(shownPath('/srv/flags'), '/srv/flags')
})
