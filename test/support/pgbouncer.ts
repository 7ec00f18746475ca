import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectFault, findFreePort } from '@svc/local/ports'
import { startChild, tiedToParent } from '@svc/local/processes'

/** Packages of a Debian release: PgBouncer, and the libraries that it needs of that release. */
const releases = {
  bookworm: ['pgbouncer', 'libevent-2.1-7', 'libc-ares2', 'libc6', 'libssl3', 'libpam0g'],
  trixie: ['pgbouncer', 'libevent-2.1-7t64', 'libcares2', 'libc6', 'libssl3t64', 'libpam0g'],
} as const

const libraries = ['libsystemd0', 'libaudit1', 'libcap-ng0', 'libcap2', 'libzstd1', 'zlib1g']
const moreOf = { bookworm: ['liblzma5', 'liblz4-1', 'libgcrypt20', 'libgpg-error0'], trixie: [] }

/** Trixie has 1.24, which prepares statements for its clients; bookworm has 1.18, which does not. */
export type Release = keyof typeof releases

/** Time for the lists of a release and its packages: 20 s from a near mirror. */
const downloadLimitMs = 120_000

const cache = fileURLToPath(new URL('../../../node_modules/.cache/pgbouncer/', import.meta.url))

/**
 * How to run the PgBouncer of a Debian release, whatever this system is: its packages are unpacked, not
 * installed, and run with the libraries of that release.
 *
 * @returns the command; `undefined` where the packages cannot be had
 */
export function pgbouncerOf(release: Release): readonly string[] | undefined {
  const root = join(cache, release)
  if (!existsSync(root) && !download(release, root)) return undefined
  const [loader] = globSync('{usr/,}lib*/ld-linux-*.so.*', { cwd: root })
  const folders = globSync('{usr/,}lib/*-linux-gnu', { cwd: root }).map((path) => join(root, path))
  if (loader === undefined) return undefined
  const program = join(root, 'usr/sbin/pgbouncer')
  const command = [join(root, loader), '--library-path', folders.join(':'), program]
  const [interpreter = '', ...args] = command
  return spawnSync(interpreter, [...args, '--version']).status === 0 ? command : undefined
}

function download(release: Release, root: string): boolean {
  if (spawnSync('apt-get', ['--version']).status !== 0) return false
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'new-'))
  try {
    // Lists of its own, so that the system does not get packages of another release.
    for (const folder of ['lists/partial', 'archives/partial', 'root']) {
      mkdirSync(join(work, folder), { recursive: true })
    }
    const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
    const source = `deb [signed-by=${key}] http://deb.debian.org/debian ${release} main\n`
    writeFileSync(join(work, 'sources.list'), source)
    writeFileSync(join(work, 'status'), '')
    const options = {
      'Dir::State': work,
      'Dir::State::status': join(work, 'status'),
      'Dir::Cache': work,
      'Dir::Etc::sourcelist': join(work, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'APT::Sandbox::User': '',
      'Acquire::Languages': 'none',
    }
    const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
    const run = (program: string, ...args: string[]) =>
      spawnSync(program, args, { cwd: work, stdio: 'ignore', timeout: downloadLimitMs }).status ===
      0
    const names = [...releases[release], ...libraries, ...moreOf[release]]
    if (!run('apt-get', ...flags, 'update')) return false
    if (!run('apt-get', ...flags, 'download', ...names)) return false
    for (const file of globSync('*.deb', { cwd: work })) {
      if (!run('dpkg-deb', '-x', file, 'root')) return false
    }
    renameSync(join(work, 'root'), root)
    return true
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export interface PgBouncer {
  readonly port: number
  /** The URL of a database by way of the pooler. */
  urlOf(databaseUrl: string): string
  stop(): Promise<void>
}

export interface PgBouncerOptions {
  /** Of the server, as a superuser, who looks up the passwords of all others. */
  readonly serverUrl: string
  readonly command: readonly string[]
  /** Further settings of its section `[pgbouncer]`, or fewer: what is `undefined` is left out. */
  readonly settings?: Readonly<Record<string, string | undefined>>
  /** Further settings of its databases. */
  readonly database?: string
}

/** What `docs/databases.md` recommends, for a server with many databases. */
const usualSettings = {
  pool_mode: 'transaction',
  max_prepared_statements: '1000',
  default_pool_size: '20',
  max_client_conn: '5000',
  server_idle_timeout: '5',
  server_lifetime: '600',
}

/** Starts a PgBouncer on loopback before a server. It ends when this process does. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const server = new URL(options.serverUrl)
  const port = await findFreePort()
  const directory = mkdtempSync(join(tmpdir(), 'svc-pgbouncer-'))
  const [user, password] = [server.username, server.password].map(decodeURIComponent)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(directory, 'users.txt'),
    auth_user: user,
    auth_query: 'SELECT usename, passwd FROM pg_catalog.pg_shadow WHERE usename = $1',
    ...usualSettings,
    ...options.settings,
  }
  const lines = Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${value}`],
  )
  const database = `* = host=${server.hostname} port=${server.port} ${options.database ?? ''}`
  writeFileSync(join(directory, 'users.txt'), `"${user}" "${password}"\n`)
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(file, `[databases]\n${database}\n[pgbouncer]\n${lines.join('\n')}\n`)
  // It refuses to run as root.
  if (process.getuid?.() === 0) {
    for (const name of ['users.txt', 'pgbouncer.ini']) chmodSync(join(directory, name), 0o644)
    chmodSync(directory, 0o755)
  }
  const asUser =
    process.getuid?.() === 0 ? ['--reuid=65534', '--regid=65534', '--clear-groups'] : []
  const log: string[] = []
  const child = startChild([...tiedToParent(), ...asUser, ...options.command, file], {
    env: { PATH: process.env.PATH },
    signal: undefined,
    onLine: (line) => void log.push(line),
  })
  const stop = async () => {
    await child.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  let hasEnded = false
  void child.ended.then(() => {
    hasEnded = true
  })
  for (let waitedMs = 0; waitedMs < 20_000 && !hasEnded; waitedMs += 20) {
    if ((await connectFault(port)) === undefined) {
      return {
        port,
        urlOf: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
        stop,
      }
    }
    await sleep(20)
  }
  await stop()
  throw new Error(`PgBouncer does not start: ${log.slice(-3).join('\n')}`)
}
