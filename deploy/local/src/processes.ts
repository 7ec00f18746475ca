import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  /** Ends the process in order. */
  readonly signal: AbortSignal | undefined
  readonly onLine: (line: string, isError: boolean) => void
  /** Called with what it sends over IPC. */
  readonly onMessage?: (message: unknown) => void
}

export type Child = ReturnType<typeof startChild>

const running = new Set<ChildProcess>()

/**
 * Starts a process in a session of its own: Ctrl-C, which a terminal sends to all, does not reach it.
 * Its IPC channel closes when this process is killed.
 */
export function startChild(command: readonly string[], options: ChildOptions) {
  const { env, signal, onLine, onMessage = () => {} } = options
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { stdout, stderr, pid = 0 } = child
  if (pid > 0) running.add(child)
  child.on('message', onMessage)
  if (stdout) createInterface(stdout).on('line', (line) => onLine(line, false))
  if (stderr) createInterface(stderr).on('line', (line) => onLine(line, true))
  const ended = new Promise<{ code: number | null; how: string }>((resolve) => {
    child.once('error', ({ message }) => resolve({ code: null, how: message }))
    child.once('close', (code, by) => {
      resolve({ code, how: by === null ? `ended with exit code ${code}` : `was ended by ${by}` })
    })
  })
  const stop = async (): Promise<void> => {
    if (running.has(child)) await endProcess(pid)
    await ended
  }
  signal?.addEventListener('abort', stop)
  void ended.then(() => {
    running.delete(child)
    signal?.removeEventListener('abort', stop)
  })
  if (signal?.aborted) void stop()
  return {
    /** 0 when it could not be started. */
    pid,
    /**
     * Resolves when it has ended and all that it wrote was read, with the exit code and with what
     * happened, to go on from a name: `was ended by SIGKILL`.
     */
    ended,
    /** Ends the process in order, by force when that takes too long. */
    stop,
  }
}

/** Ends all processes of {@link startChild} at once, without waiting. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Time for an orderly end. PostgreSQL recovers at the next start from one that took longer. */
const stopLimitMs = 1500

/** Asks a process to end, then ends it by force, and waits until it has ended. */
export async function endProcess(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGKILL']) {
    try {
      process.kill(pid, signal)
    } catch {
      return // it has ended
    }
    // Short against an end, which takes 50 ms at least; long against reading /proc.
    for (let waitedMs = 0; waitedMs < stopLimitMs; waitedMs += 20) {
      if (findProcess(pid) === undefined) return
      await sleep(20)
    }
  }
}

/** @returns the command line, `undefined` when no such process runs; a zombie does not */
export function findProcess(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return findWithPs(pid)
    // proc_pid_cmdline(5): empty for a zombie. Arguments end with a null byte.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined
  } catch {
    return undefined
  }
}

function findWithPs(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,args=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [state = 'Z', ...command] = line.trim().split(/\s+/)
  return state.startsWith('Z') ? undefined : command.join(' ')
}

/**
 * Prefix of a command whose process the kernel ends when the process that started it ends. Empty on
 * macOS, which has no such thing: the process stays.
 */
export function tiedToParent(): readonly string[] {
  const prefix = ['--pdeathsig', 'INT']
  return spawnSync('setpriv', [...prefix, 'true']).status === 0 ? ['setpriv', ...prefix] : []
}
