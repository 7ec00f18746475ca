import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen, type Test } from './listen.ts'

/** Address families of a network namespace, whose one interface is loopback. */
export type Families = 'ipv4' | 'ipv6' | 'both'

/** Limit of what runs in a namespace, in milliseconds: three services start, on a busy machine. */
const limitMs = 300_000

const removals = { ipv4: 'ip -6 addr flush dev lo', ipv6: 'ip -4 addr flush dev lo', both: 'true' }

/** Without root it takes a user namespace, which some systems do not allow. */
const unshare = ['--net', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]

const commandFor = (families: Families, then: string) =>
  [...unshare, 'sh', '-euc', `ip link set lo up; ${removals[families]}; ${then}`] as const

/** Why no namespace can be made here, if so: it takes Linux, `unshare` and `ip`. */
export function lackOfNamespaces(): string | false {
  const { status, stderr, error } = spawnSync('unshare', commandFor('ipv6', 'true'))
  return status === 0 ? false : `no network namespace: ${error?.message ?? stderr}`
}

/**
 * Runs a program of this folder in a network namespace of its own.
 *
 * @param servers host and port of servers outside, by the variable in which the program finds the socket of each
 * @returns what it printed, parsed
 */
export async function runInNamespace(
  t: Test,
  families: Families,
  program: string,
  servers: Readonly<Record<string, { readonly host: string; readonly port: number }>>,
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  // The path of a socket has 107 bytes at most, which those of a test's own folders exceed.
  const folder = await mkdtemp(join(tmpdir(), 'svc-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const sockets: Record<string, string> = {}
  for (const [name, { host, port }] of Object.entries(servers)) {
    // A namespace of networks is none of files: sockets of the file system lead out of it.
    const path = join(folder, name)
    await listen(t, createServer(relayTo({ host, port })), { path })
    sockets[name] = path
  }
  const file = fileURLToPath(new URL(program, import.meta.url))
  const command = commandFor(families, 'exec "$NODE" "$PROGRAM"')
  const { PATH, NODE_COMPILE_CACHE = '' } = process.env
  const all = {
    PATH,
    NODE_COMPILE_CACHE,
    NODE: process.execPath,
    PROGRAM: file,
    ...env,
    ...sockets,
  }
  const { stdout } = await promisify(execFile)('unshare', command, { env: all, timeout: limitMs })
  return JSON.parse(stdout)
}

/** For a server: hands each connection on. */
export function relayTo(
  target: { readonly host: string; readonly port: number } | { readonly path: string },
) {
  return (socket: NodeJS.ReadWriteStream & { destroy(): unknown }): void => {
    const upstream = connect(target)
    const end = () => {
      socket.destroy()
      upstream.destroy()
    }
    for (const one of [socket, upstream]) one.on('error', end).on('close', end)
    socket.pipe(upstream).pipe(socket)
  }
}
