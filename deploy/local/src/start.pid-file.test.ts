import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { takePidFile } from './start.pid-file.ts'

const inUse = (pid: number) => `in use by ${pid}`

/** The script of this test, which a process has to run to count as a holder. */
const script = basename(process.argv[1] ?? '')

/** A process that runs until the test ends. */
async function start(t: Test, argument: string): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, [
    '-e',
    'setInterval(() => {}, 9e5); console.log()',
    argument,
  ])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const { pid } = child
  if (pid === undefined) throw new Error('not started')
  return Object.assign(child, { pid })
}

function pathIn(t: Test): string {
  return join(t.testdir({}), 'lock')
}

t.test('is refused while another process holds it', async (t) => {
  const path = pathIn(t)
  const { pid } = await start(t, script)
  writeFileSync(path, `${pid}\n`)
  await t.rejects(takePidFile(path, inUse), { reason: 'in_use', message: `in use by ${pid}` })
  t.equal(readFileSync(path, 'utf8'), `${pid}\n`)
})

t.test('is created exclusively, and can be taken again once it is released', async (t) => {
  const path = pathIn(t)
  const held = await takePidFile(path, inUse)
  t.equal(held.wasStale, false)
  t.equal(readFileSync(path, 'utf8'), `${process.pid}\n`)
  held.release()
  t.notOk(existsSync(path))
  t.equal((await takePidFile(path, inUse)).wasStale, false)
})

t.test('is taken over when it is stale', async (t) => {
  const path = pathIn(t)
  const dead = await start(t, script)
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  const other = await start(t, 'another-program.js')
  const stale = {
    'its process is gone': `${dead.pid}\n`,
    'another program has the number': `${other.pid}\n`,
    'this process has the number': `${process.pid}\n`,
    'it is empty': '',
    'it has no number': '{"children":[]}',
  }
  for (const [reason, content] of Object.entries(stale)) {
    writeFileSync(path, content)
    const taken = await takePidFile(path, inUse)
    t.equal(taken.wasStale, true, reason)
    t.equal(readFileSync(path, 'utf8'), `${process.pid}\n`)
    taken.release()
  }
})

t.test('goes to one of many processes that want a stale one at once', async (t) => {
  const path = pathIn(t)
  writeFileSync(path, '{}')
  const module = JSON.stringify(new URL('./start.pid-file.js', import.meta.url).href)
  const code = `import { takePidFile } from ${module}
    takePidFile(${JSON.stringify(path)}, () => 'in use').then(
      () => console.log('taken'),
      (error) => console.log(error.message))
    setInterval(() => {}, 9e5)`
  const starters = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, 'starter.js'])
    t.teardown(() => child.kill('SIGKILL'))
    return once(child.stdout, 'data').then(String)
  })
  const said = await Promise.all(starters)
  t.equal(said.filter((text) => text === 'taken\n').length, 1, said.join(''))
})
