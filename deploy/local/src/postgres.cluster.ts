import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@svc/runtime'
import { startChild } from './child.ts'
import type { PostgresBinaries } from './postgres.binaries.ts'
import type { PostgresUser } from './postgres.user.ts'
import { tiedToParent } from './processes.ts'

/** A directory that a server stores its databases in, and how its programs run. */
export interface Cluster {
  readonly directory: string
  readonly binaries: PostgresBinaries
  readonly user: PostgresUser
  readonly durable: boolean
  readonly signal: AbortSignal | undefined
}

/** The only role. It owns everything. */
export const role = 'svc'

export function dataDirectory(directory: string): string {
  return join(directory, 'data')
}

export function readPassword(directory: string): string {
  return readFileSync(join(dataDirectory(directory), passwordFile), 'utf8').trim()
}

const passwordFile = 'svc.password'

/**
 * Makes the data directory if there is none. It appears whole or not at all: a process that is
 * killed on the way leaves a draft, which the next one removes.
 *
 * @returns whether this call made it
 */
export async function createCluster(cluster: Cluster): Promise<boolean> {
  const { directory, user } = cluster
  await removeDrafts(directory)
  const data = dataDirectory(directory)
  if (existsSync(data)) return false
  // Another name each time: an initdb that was killed with its parent may still be writing.
  const draft = await mkdtemp(join(directory, draftPrefix))
  const password = `${draft}.password`
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  user.own(draft)
  user.own(password)
  await runInitdb(cluster, draft, password)
  await rename(password, join(draft, passwordFile))
  await rename(draft, data)
  return true
}

const draftPrefix = 'init-'

async function removeDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(draftPrefix)) continue
    // What cannot be removed now is removed by a later start.
    const retry = { maxRetries: 5, retryDelay: 50 }
    await rm(join(directory, name), { recursive: true, force: true, ...retry }).catch(() => {})
  }
}

async function runInitdb(
  { binaries, user, durable, signal }: Cluster,
  directory: string,
  password: string,
): Promise<void> {
  const args = [
    `--pgdata=${directory}`,
    `--username=${role}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order and case mapping on every machine, whatever is installed.
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(durable ? [] : ['--no-sync']),
  ]
  const errors: string[] = []
  const child = startChild([...user.prefix, ...tiedToParent(), binaries.initdb, ...args], {
    ...user.ids,
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C' },
    steps: [
      ['SIGINT', 1000],
      ['SIGKILL', 1000],
    ],
    signal,
    onLine: (line, isError) => void (isError && errors.push(line)),
  })
  // It takes about a second.
  const limit = setTimeout(() => void child.stop(), 60_000)
  const { code, how } = await child.ended
  clearTimeout(limit)
  if (code === 0) return
  const message = `PostgreSQL can't make its data directory. ${errors.join('\n') || `initdb ${how}.`}`
  throw new AppError('failed_precondition', 'postgres_failed', message)
}
