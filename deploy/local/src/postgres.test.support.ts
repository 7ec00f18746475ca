import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import type { Test } from 'tap'
import { type LocalPostgres, startPostgres } from './postgres.ts'
import { findProcess } from './processes.ts'

export const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

export function makeDirectory(t: Test): string {
  const parent = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  return join(parent, 'postgres')
}

export async function start(t: Test, directory: string): Promise<LocalPostgres> {
  const postgres = await startPostgres({ directory })
  t.teardown(() => postgres.stop())
  return postgres
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const db = openDatabase(url, { name: 'test', maxConnections: 1, log, acquireTimeoutMs: 5000 })
  try {
    return await db.query(text)
  } finally {
    await db.close()
  }
}

/** A process that starts the server, says which one, and waits to be killed. */
export function spawnStarter(
  t: Test,
  directory: string,
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const module = new URL('./postgres.js', import.meta.url).href
  const script = `import { startPostgres } from ${JSON.stringify(module)}
    startPostgres({ directory: ${JSON.stringify(directory)} }).then(
      ({ pid, url }) => console.log(JSON.stringify({ pid, url })),
      ({ message }) => console.log(JSON.stringify({ message })))
    setInterval(() => {}, 1000)`
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  t.teardown(() => starter.kill('SIGKILL'))
  return starter
}

export async function saidBy(starter: ChildProcess): Promise<{ pid: number; url: string }> {
  if (starter.stdout === null) throw new Error('no output')
  const [line] = await once(starter.stdout, 'data')
  return JSON.parse(String(line))
}

export async function whenGone(pid: number, withinMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 20) {
    if (findProcess(pid) === undefined) return true
    await sleep(20)
  }
  return false
}

/** A PATH on which only these programs are found, as on a system that has no others. */
export function pathWith(t: Test, programs: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-path-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  chmodSync(directory, 0o755)
  for (const program of programs) symlinkSync(`/usr/bin/${program}`, join(directory, program))
  return directory
}
