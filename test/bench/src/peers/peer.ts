import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@svc/local/ports'
import { AppError } from '@svc/runtime'
import { pinServer } from '@svc/test/support/machine'
import type { Run } from '../row.ts'
import type { FlagQuestion } from '../servers/flags.ts'
import type { LoadedServer } from '../servers/start.ts'

/** Another flag server. Its program is not part of this repository: the reader names it. */
export interface Peer {
  readonly name: 'unleash-edge' | 'flagd' | 'flipt'
  /** The environment variable with the path of its program. */
  readonly variable: string
  /** Writes the flags into a folder, which is empty, and says how the program is started with them. */
  prepare(place: Place): Launch
  /** The request for an evaluation. */
  ask(question: FlagQuestion): PeerRequest
  /** @throws {Error} when that cannot be the answer to the question */
  check(question: FlagQuestion, answer: unknown): void
}

export interface Place {
  readonly folder: string
  /** Where it is asked. */
  readonly port: number
  /** For whatever else it listens on. */
  readonly otherPorts: readonly [number, number, number]
  readonly flagKeys: readonly string[]
}

export interface Launch {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface PeerRequest {
  readonly path: string
  readonly body: unknown
  /** What it is authenticated with; empty where it asks for nothing. */
  readonly authorization?: string
}

export interface StartedPeer extends LoadedServer {
  stop(): Promise<void>
}

/** How long a program may take until it answers, in milliseconds. Those that are known take a second. */
const startLimitMs = 30_000

/**
 * Starts a peer with these flags, on the core of the server.
 *
 * @param whyNotReady asks it a question, and says what is wrong with the answer
 * @throws {AppError} `failed_precondition` with what it wrote, when it does not start
 */
export async function startPeer(
  run: Run,
  peer: Peer,
  program: string,
  flagKeys: readonly string[],
  whyNotReady: (port: number) => Promise<string | undefined>,
): Promise<StartedPeer> {
  const folder = mkdtempSync(join(tmpdir(), `svc-bench-${peer.name}-`))
  run.teardown(async () => rmSync(folder, { recursive: true, force: true }))
  const [port, ...otherPorts] = await freePorts()
  const { args, env = {} } = peer.prepare({ folder, port, otherPorts, flagKeys })
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  run.teardown(stop)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-2000)
    })
  }
  let failure: string | undefined
  child.once('error', ({ message }) => {
    failure = message
  })
  child.once('exit', (code, signal) => {
    failure ??= `it ended with ${code ?? signal}`
  })
  const deadline = performance.now() + startLimitMs
  for (;;) {
    const fault = await whyNotReady(port)
    if (fault === undefined) break
    if (performance.now() > deadline) failure ??= fault
    if (failure !== undefined) throw notStarted(peer, program, failure, said)
    await sleep(100)
  }
  const { pid = 0 } = child
  pinServer(pid)
  return { port, pid, stop }
}

function notStarted({ name, variable }: Peer, program: string, why: string, said: string) {
  const message = `${name} does not start: ${why}. ${variable} is ${program}.\n${said}`.trim()
  return new AppError('failed_precondition', 'peer_failed', message)
}

/** Found one after the other, so that no two are the same. */
async function freePorts(): Promise<[number, number, number, number]> {
  const ports = new Set<number>()
  while (ports.size < 4) ports.add(await findFreePort())
  const [a = 0, b = 0, c = 0, d = 0] = ports
  return [a, b, c, d]
}
