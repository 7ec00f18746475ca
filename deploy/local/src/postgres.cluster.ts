import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '@svc/runtime'
import type { PostgresBinaries } from './postgres.binaries.ts'
import type { PostgresUser } from './postgres.user.ts'
import { findProcess, tiedToParent } from './processes.ts'

/** The only role: whoever has the directory's password owns everything in it. */
export const role = 'svc'

export function dataDirectory(directory: string): string {
  return join(directory, 'data')
}

export function readPassword(directory: string): string {
  return readFileSync(join(dataDirectory(directory), passwordFile), 'utf8').trim()
}

const passwordFile = 'svc.password'

/**
 * Makes the data directory if there is none. It appears whole or not at all: whoever is killed on
 * the way leaves a side folder, which the next one clears away, and of two at once one wins.
 *
 * @returns whether this call made it
 */
export async function createCluster(
  directory: string,
  { initdb }: PostgresBinaries,
  user: PostgresUser,
  durable: boolean,
): Promise<boolean> {
  await removeLeftovers(directory)
  if (existsSync(dataDirectory(directory))) return false

  const init = join(directory, `init-${process.pid}`)
  const password = `${init}.password`
  await rm(init, { recursive: true, force: true })
  await mkdir(init, { mode: 0o700 })
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  user.own(init)
  user.own(password)
  await run(initdb, initdbArguments(init, password, durable), user)
  await rename(password, join(init, passwordFile))
  try {
    await rename(init, dataDirectory(directory))
    return true
  } catch (error) {
    await rm(init, { recursive: true, force: true })
    if (existsSync(join(dataDirectory(directory), passwordFile))) return false
    throw error
  }
}

/** Removes what those who were killed while making a data directory left behind. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^init-(\d+)(\.password)?$/.exec(name)?.[1]
    if (pid === undefined || findProcess(Number(pid)) !== undefined) continue
    // Programs that were killed with their parent may still be writing their last files. What
    // cannot be removed now is in nobody's way.
    const retry = { maxRetries: 5, retryDelay: 50 }
    await rm(join(directory, name), { recursive: true, force: true, ...retry }).catch(() => {})
  }
}

function initdbArguments(directory: string, password: string, durable: boolean): string[] {
  return [
    `--pgdata=${directory}`,
    `--username=${role}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order and the same upper and lower case on every machine, whatever is installed.
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(durable ? [] : ['--no-sync']),
  ]
}

async function run(program: string, args: string[], user: PostgresUser): Promise<void> {
  const [command = '', ...rest] = [...user.prefix, ...tiedToParent(), program, ...args]
  try {
    // It takes about a second; a minute means that it hangs.
    const limits = { timeout: 60_000, killSignal: 'SIGKILL' } as const
    const env = { ...process.env, LC_ALL: 'C' }
    await promisify(execFile)(command, rest, { ...user.ids, ...limits, env, cwd: '/' })
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const message = `PostgreSQL can't make its data directory. ${stderr}`.trim()
    throw new AppError('failed_precondition', 'postgres_failed', message, { cause: error })
  }
}
