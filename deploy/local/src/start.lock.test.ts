import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { identifyProcess } from './process-identity.ts'
import { takeLock } from './start.lock.ts'

const inUse = (pid: number) => `in use by ${pid}`

async function idle(t: Test): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()'])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const { pid } = child
  if (pid === undefined) throw new Error('not started')
  return Object.assign(child, { pid })
}

function pathIn(t: Test): string {
  return join(t.testdir({}), 'lock')
}

function leave(path: string, holder: object | undefined, children: readonly unknown[] = []): void {
  writeFileSync(path, JSON.stringify({ ...holder, children }))
}

t.test('is refused while another process holds it', async (t) => {
  const path = pathIn(t)
  const { pid } = await idle(t)
  leave(path, identifyProcess(pid))
  await t.rejects(takeLock(path, inUse), { message: `in use by ${pid}` })
  t.ok(existsSync(path))
})

t.test('can be taken again once it is released', async (t) => {
  const path = pathIn(t)
  const lock = await takeLock(path, inUse)
  await t.rejects(takeLock(path, inUse), { message: `in use by ${process.pid}` })
  lock.release()
  t.notOk(existsSync(path))
  await takeLock(path, inUse)
})

t.test('is taken over from a process that is gone', async (t) => {
  const path = pathIn(t)
  const child = await idle(t)
  leave(path, identifyProcess(child.pid))
  child.kill('SIGKILL')
  await once(child, 'exit')
  await takeLock(path, inUse)
  t.match(JSON.parse(readFileSync(path, 'utf8')), { pid: process.pid })
})

t.test('is taken over when another process has got the number', async (t) => {
  const path = pathIn(t)
  leave(path, { pid: process.pid, startedAt: 'earlier' })
  await takeLock(path, inUse)
})

t.test('is taken over when there is nothing sensible in it', async (t) => {
  const path = pathIn(t)
  for (const text of ['', '{', '{"pid":1}', 'null']) {
    writeFileSync(path, text)
    const lock = await takeLock(path, inUse)
    lock.release()
  }
})

t.test('ends what a killed holder left running', async (t) => {
  const path = pathIn(t)
  const leftover = await idle(t)
  const bystander = await idle(t)
  const children = [identifyProcess(leftover.pid), { pid: bystander.pid, startedAt: 'earlier' }]
  leave(path, { pid: process.pid, startedAt: 'earlier' }, children)
  await takeLock(path, inUse)
  t.equal(identifyProcess(leftover.pid), undefined)
  t.ok(identifyProcess(bystander.pid), 'which was another process under an old number')
})

t.test('notes the children of the holder', async (t) => {
  const path = pathIn(t)
  const lock = await takeLock(path, inUse)
  const { pid } = await idle(t)
  lock.noteChildren([pid])
  t.strictSame(JSON.parse(readFileSync(path, 'utf8')).children, [identifyProcess(pid)])
})

t.test('goes to one of many who want it at once', async (t) => {
  const path = pathIn(t)
  leave(path, { pid: process.pid, startedAt: 'earlier' })
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(path, inUse)))
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
})
