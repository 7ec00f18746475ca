import { type SpawnOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { onLines } from './lines.ts'
import { endProcess, type StopSteps, sendSignal } from './processes.ts'

export interface ChildOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** The first is an orderly end, the second one at once. */
  readonly steps: StopSteps
  /** Ends the process in order. */
  readonly signal?: AbortSignal | undefined
  readonly onLine: (line: string, isError: boolean) => void
  /** Opens an IPC channel. When this process is killed the channel closes, and the child sees that. */
  readonly onMessage?: (message: unknown) => void
}

export interface Child {
  /** 0 when it could not be started. */
  readonly pid: number
  /** Resolves when it has ended and all that it wrote was read. */
  readonly ended: Promise<Exit>
  stop(): Promise<void>
}

export interface Exit {
  readonly code: number | null
  /** What happened, to go on from a name: `was ended by SIGKILL`. */
  readonly how: string
}

const running = new Map<Child, StopSteps>()

/** Starts a process in a session of its own: Ctrl-C, which a terminal sends to all, does not reach it. */
export function startChild(command: readonly string[], options: ChildOptions): Child {
  const { steps, signal, onLine, onMessage, ...others } = options
  const [program = '', ...args] = command
  const process = spawn(program, args, {
    ...others,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(onMessage === undefined ? [] : (['ipc'] as const))],
  })
  const { stdout, stderr, pid = 0 } = process
  if (onMessage !== undefined) process.on('message', onMessage)
  readLines(stdout, (line) => onLine(line, false))
  readLines(stderr, (line) => onLine(line, true))
  const ended = new Promise<Exit>((resolve) => {
    process.once('error', ({ message }) => {
      if (pid === 0) resolve({ code: null, how: message })
    })
    process.once('close', (code, by) => {
      resolve({ code, how: by === null ? `ended with exit code ${code}` : `was ended by ${by}` })
    })
  })
  const child: Child = {
    pid,
    ended,
    async stop() {
      if (running.has(child)) await endProcess(pid, steps)
      await ended
    },
  }
  if (pid > 0) running.set(child, steps)
  const stop = () => void child.stop()
  signal?.addEventListener('abort', stop)
  void ended.then(() => {
    running.delete(child)
    signal?.removeEventListener('abort', stop)
  })
  if (signal?.aborted) stop()
  return child
}

/** Ends all processes of {@link startChild} at once, without waiting. */
export function killChildren(): void {
  for (const [{ pid }, steps] of running) sendSignal(pid, steps[1]?.[0] ?? 'SIGKILL')
}

function readLines(stream: Readable | null, accept: (line: string) => void): void {
  if (stream !== null) onLines(stream, accept)
}
