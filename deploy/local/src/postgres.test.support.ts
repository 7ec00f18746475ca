import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import type { Test } from 'tap'
import { startPostgres } from './postgres.ts'

export const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

export function makeDirectory(t: Test): string {
  const parent = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  return join(parent, 'postgres')
}

export async function start(t: Test, directory: string): ReturnType<typeof startPostgres> {
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

/** A PATH whose `setpriv` ties no process to its parent, as on a system that cannot. */
export function pathWithoutTies(t: Test): string {
  const directory = t.testdir({})
  const script = 'shift 2; case $1 in --*) exec /usr/bin/setpriv "$@";; *) exec "$@";; esac'
  writeFileSync(join(directory, 'setpriv'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return `${directory}:${process.env.PATH}`
}
