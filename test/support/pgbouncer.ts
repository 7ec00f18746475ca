import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectFault, findFreePort } from '@svc/local/ports'
import { startChild, tiedToParent } from '@svc/local/processes'
import { programOf } from './debian-packages.ts'

/** Releases of Debian: trixie has 1.24, which prepares statements for its clients; bookworm has 1.18, which does not. */
export type Release = 'bookworm' | 'trixie'

/** @returns the command of the PgBouncer of a Debian release; `undefined` where it cannot be had */
export function pgbouncerOf(release: Release): readonly string[] | undefined {
  const command = programOf(release, 'pgbouncer', 'usr/sbin/pgbouncer')
  if (command === undefined) return undefined
  const [interpreter, ...args] = command
  return spawnSync(interpreter, [...args, '--version']).status === 0 ? command : undefined
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
